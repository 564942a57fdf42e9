import { randomBytes } from 'node:crypto';

/** Of the random ids of sessions, of personal access tokens, which are those of their sessions, and of passkeys. */
export const ID_BYTES = 8;

export function newRandomId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}
