import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a start on a busy machine, and shorter than a test may take in all: the test fails and does not hang. */
const PATIENCE_MS = 120_000;

/** Waits until that is true. Fails after two minutes with what it waited for. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await isTrue()); await sleep(5))
    if (performance.now() > end)
      throw new Error(`This did not happen within ${PATIENCE_MS / 1_000} s: ${what}.`);
}
