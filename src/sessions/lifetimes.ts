import { DAY_MS } from '../domain/time.ts';

/** Seconds that an access token lives (docs/decisions/sessions.md). */
export const ACCESS_TOKEN_SECONDS = 15 * 60;
/** A session that is not refreshed for this long ends (docs/decisions/sessions.md). */
export const IDLE_MS = 14 * DAY_MS;
/** A session ends this long after its login, however much it is used. */
export const ABSOLUTE_MS = 30 * DAY_MS;

/**
 * How long the immediate parent still leads to its successor: a lost reply, two tabs (RFC 9700, 4.14). A successor in a
 * cookie lasts at least as long.
 */
export const GRACE_MS = 10_000;
