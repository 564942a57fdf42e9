import { randomBytes } from 'node:crypto';

/** No mail server is ever found under this name (RFC 6761, 6.4). */
const ENDING = '@address.invalid';

/** Stands in the place of an address that an account lost. It is nobody's, and no two accounts have the same. */
export function noAddress(): string {
  return randomBytes(8).toString('hex') + ENDING;
}

export function isNoAddress(email: string): boolean {
  return email.endsWith(ENDING);
}
