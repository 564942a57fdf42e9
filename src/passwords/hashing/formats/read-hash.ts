/** A hash of a password, read from its text. */
export interface ReadHash {
  /** Does one verification stay within what one sign-in may cost (docs/decisions/passwords.md)? */
  readonly isAffordable: boolean;
  /** What one sign-in may cost with this format, in words: "a cost of 13". */
  readonly limit: string;
  readonly verify: (password: string) => boolean;
}

/** Memory that one verification may take, in bytes. Each hashing thread may take that much at the same time. */
export const MOST_MEMORY = 128 * 1024 * 1024;
/** Bytes of a digest. With fewer, a wrong password could be taken for the right one. */
const DIGEST = { least: 16, most: 64 };
const SALT = { least: 8, most: 48 };

/** Does it have as many bytes as a salt may have here? `isDigest` is the same of a digest. */
export function isSalt({ length }: Buffer): boolean {
  return length >= SALT.least && length <= SALT.most;
}

export function isDigest({ length }: Buffer): boolean {
  return length >= DIGEST.least && length <= DIGEST.most;
}

/** The bytes of a base64 text without padding. Empty for any other text. */
export function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : Buffer.alloc(0);
}
