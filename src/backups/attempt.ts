import { isUnavailable } from '../domain/failure.ts';
import { reasonOf } from '../domain/reason.ts';
import { restFor } from '../domain/rest.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { CLAIM_MS } from './state.ts';

/** The characters of a problem that are kept. */
const PROBLEM_CHARACTERS = 1_000;
const NOTE_AGAIN_MS = 1_000;

/**
 * Does the work of a claim, and extends the claim once a minute. Where that fails, another instance takes the work over,
 * and the end of this one changes nothing.
 */
export async function holding(extend: () => Promise<unknown>, work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => {
    extend().catch(() => {});
  }, MINUTE_MS);
  await work().finally(() => clearInterval(timer));
}

/**
 * Writes down what came of an attempt. A database that restarts just then makes no failure of it: the note is tried again
 * as long as a claim lasts, because no other instance has taken the work over until then, and until the stop.
 */
export async function noteEnd(note: () => Promise<unknown>, stopping: AbortSignal): Promise<void> {
  const until = performance.now() + CLAIM_MS;
  for (;;) {
    try {
      await note();
      return;
    } catch (error) {
      if (!isUnavailable(error) || stopping.aborted || performance.now() > until) throw error;
    }
    await restFor(NOTE_AGAIN_MS, stopping);
  }
}

/** Why an attempt failed, as it is kept. */
export function problemOf(error: unknown): string {
  return reasonOf(error).slice(0, PROBLEM_CHARACTERS);
}
