import { DAY_MS, HOUR_MS } from '../domain/time.ts';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;
/** A delivery is tried for this long after its first attempt. */
export const TRIED_MS = 3 * DAY_MS;
/** An attempt that comes this much too late was held up by the service, not by its endpoint. */
export const HELD_UP_MS = DAY_MS;
/** The longest Retry-After that is kept. */
const LONGEST_RETRY_AFTER_MS = DAY_MS;
/** No attempt is further away than a day. A time beyond two comes from a clock that was wrong, and counts as past. */
export const FARTHEST_MS = 2 * DAY_MS;

/** When a webhook that its endpoint holds back sends again; null where it does now. */
export function heldUntil(notBefore: number | null, now: number): number | null {
  return notBefore !== null && notBefore > now && notBefore <= now + FARTHEST_MS ? notBefore : null;
}

/**
 * Milliseconds until the next attempt: 5 s, doubled with each attempt, at most 4 hours. `random` (from 0 to 1) takes up
 * to half away, so that deliveries that failed together do not come back together.
 */
export function pauseAfter(attempts: number, random: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - random / 2));
}

/** Milliseconds that Retry-After asks for: seconds, or a date of HTTP. 0 if the text is neither. */
export function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const asked = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER_MS);
}
