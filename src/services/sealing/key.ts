import { randomBytes } from 'node:crypto';

/** In the folder of the embedded database, or in the data folder. */
export const KEY_FILE = 'sealing.key';

const BYTES = 32;
/** Random keys have fewer different characters than this once in about 10^22 times. */
const LEAST_DIFFERENT = 12;
/** A new key would not open what is sealed. */
const CURE =
  'A database that exists needs the key that it had (another instance or your backup of keys has it); for a new one, openssl rand -base64 32 | tr +/ -_ | tr -d = makes a key.';

/** A sealing key as text: 32 bytes as base64url, 43 characters. */
export function newKeyText(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Fails with an Error that says what the text must be, without repeating it. */
export function parseKey(text: string): Uint8Array {
  const key = Buffer.from(text, 'base64url');
  if (key.length !== BYTES || key.toString('base64url') !== text) {
    throw new Error(`must be 32 random bytes as base64url, 43 characters. ${CURE}`);
  }
  if (new Set(text).size < LEAST_DIFFERENT) {
    throw new Error(`must be random. ${CURE}`);
  }
  return key;
}
