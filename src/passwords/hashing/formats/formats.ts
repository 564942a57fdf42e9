import { readArgon2 } from './argon2.ts';
import { readBcrypt } from './bcrypt.ts';
import { readPbkdf2 } from './pbkdf2.ts';
import type { ReadHash } from './read-hash.ts';
import { readScrypt } from './scrypt.ts';

/**
 * Every format in which an account may have the hash of its password (docs/decisions/passwords.md). Ours is the first.
 */
const READERS = [readArgon2, readBcrypt, readScrypt, readPbkdf2];

function readHash(hash: string): ReadHash | undefined {
  for (const read of READERS) {
    const found = read(hash);
    if (found) return found;
  }
  return undefined;
}

/** Does the password, or its other form, belong to the hash? Fails where `refusalOfHash` would refuse the format of the hash. */
export function verifyHash(hash: string, password: string, asSent?: string): boolean {
  const read = readHash(hash);
  if (!read) throw new Error('A stored hash is of no known format.');
  return read.verify(password) || (asSent !== undefined && read.verify(asSent));
}

/** Why this hash is refused, to be told after its name: "must be ...". Undefined for a good hash. */
export function refusalOfHash(hash: string): string | undefined {
  const read = readHash(hash);
  if (!read)
    return 'must be a hash by argon2, bcrypt, scrypt or PBKDF2 in a form that docs/operations.md lists';
  return read.isAffordable ? undefined : `takes more work than a sign-in may: at most ${read.limit}`;
}
