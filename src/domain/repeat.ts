/**
 * Does `work` again and again with a pause between, never twice at the same time. A failure is told to
 * `onError` and the next round comes as ever. The returned function stops it and waits for the round
 * under way.
 */
export function repeat(
  work: () => Promise<unknown>,
  pauseMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve();
  let stopped = false;
  let timer = setTimeout(round, pauseMs).unref();

  function round(): void {
    running = work()
      .then(() => {}, onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(round, pauseMs).unref();
      });
  }

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
