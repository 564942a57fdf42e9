import { reasonOf } from '../domain/reason.ts';
import { MINUTE_MS } from '../domain/time.ts';

/** The characters of a problem that are kept. */
const PROBLEM_CHARACTERS = 1_000;

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

/** Why an attempt failed, as it is kept. */
export function problemOf(error: unknown): string {
  return reasonOf(error).slice(0, PROBLEM_CHARACTERS);
}
