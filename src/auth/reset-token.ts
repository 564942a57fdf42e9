import { randomBytes } from 'node:crypto';

/** Recognisable to scanners that look for leaked secrets. */
const PREFIX = 'stoa_pr_';
const BYTES = 32;
/** Milliseconds that a link to choose a new password lives. */
export const RESET_MS = 30 * 60_000;

/** What a link of a mail holds: 256 random bits. */
export function newResetToken(): string {
  return PREFIX + randomBytes(BYTES).toString('base64url');
}
