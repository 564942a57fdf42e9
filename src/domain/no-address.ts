import { randomBytes } from 'node:crypto';

/** A reserved name, under which no mail server is ever found (RFC 6761, 6.4). */
const ENDING = '@address.invalid';

/** A placeholder for an address that an account lost. It belongs to nobody, and is different for each account. */
export function noAddress(): string {
  return randomBytes(8).toString('hex') + ENDING;
}

/** Is this a placeholder of `noAddress`? */
export function isNoAddress(email: string): boolean {
  return email.endsWith(ENDING);
}
