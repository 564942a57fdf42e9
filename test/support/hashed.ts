import { hashSync } from '@node-rs/argon2';
import { ARGON2 } from '../../src/passwords/hashing/parameters.ts';

/** The hash of a password as the service makes it. */
export function hashed(password: string): string {
  return hashSync(password, ARGON2);
}
