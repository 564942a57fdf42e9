/**
 * Does `work` again and again with a pause between, never twice at the same time. The first failure in
 * a row is told to `onError`, and the first success after it to `onRecovered`; the next round comes as
 * ever. The returned function stops it and waits for the round under way.
 */
export function repeat(
  work: () => Promise<unknown>,
  pauseMs: number,
  onError: (error: unknown) => void,
  onRecovered: () => void = () => {},
): () => Promise<void> {
  let running = Promise.resolve();
  let failed = false;
  let stopped = false;
  let timer = setTimeout(round, pauseMs).unref();

  function round(): void {
    running = attempt().finally(() => {
      if (!stopped) timer = setTimeout(round, pauseMs).unref();
    });
  }

  async function attempt(): Promise<void> {
    try {
      await work();
      if (failed) onRecovered();
      failed = false;
    } catch (error) {
      if (!failed) onError(error);
      failed = true;
    }
  }

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
