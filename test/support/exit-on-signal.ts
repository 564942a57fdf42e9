// A process that a signal ends leaves servers and folders behind, unless it comes to its event "exit".
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    // Where others listen too, they end the process in order.
    if (process.listenerCount(signal) === 0) process.exit(1);
  });
}
