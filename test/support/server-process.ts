import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const running = new Set<ChildProcess>();

// No server outlives the process that started it, unless SIGKILL ends that process.
process.on('exit', () => {
  for (const server of running) server.kill('SIGINT');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    // Where others listen too, they end the process in order.
    if (process.listenerCount(signal) === 0) process.exit(1);
  });
}

/** Starts `postgres` and resolves when it accepts connections. Rejects with what it said if it ends before. */
export async function startServer(
  postgres: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const server = spawn(postgres, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  await once(server, 'spawn');
  running.add(server);
  server.once('exit', () => running.delete(server));
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    if (line.includes('database system is ready to accept connections')) {
      server.stderr.resume();
      return server;
    }
    said.push(line);
  }
  throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
}

/** Ends the server as its operator would (fast shutdown). */
export async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  await exited;
}
