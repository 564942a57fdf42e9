import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Longer than a start on a busy machine, or a backup, which gets idle time only. Shorter than a test may take in all: the
 * test fails and does not hang.
 */
const PATIENCE_MS = 240_000;
/** What takes a minute is asked for twice a second. */
const LONGEST_PAUSE_MS = 500;

/** Waits until that is true. Fails after four minutes with what it waited for. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await untilThere(async () => (await isTrue()) || undefined, what);
}

/** As `until`, for something that is asked for until it is there. */
export async function untilThere<Thing>(
  ask: () => Thing | undefined | Promise<Thing | undefined>,
  what: string,
): Promise<Thing> {
  const begin = performance.now();
  for (;;) {
    const thing = await ask();
    if (thing !== undefined) return thing;
    const waited = performance.now() - begin;
    if (waited > PATIENCE_MS)
      throw new Error(`This did not happen within ${PATIENCE_MS / 1_000} s: ${what}.`);
    // What takes long is asked for less often, because each question costs the others time.
    await sleep(Math.min(LONGEST_PAUSE_MS, 5 + waited / 20));
  }
}
