import { inNfc } from '../../domain/stream-safe.ts';

/** argon2id as OWASP recommends it (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. */
export const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const CURRENT_PREFIX = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$`;

/** Of a password. bcrypt reads no more, so a longer one that belongs to a hash need not be the one it was made of. */
const BCRYPT_BYTES = 72;

/** Was the hash made with other parameters than today's? */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith(CURRENT_PREFIX);
}

/**
 * Is the hash outdated, and surely made of this password, which belongs to it as it was sent or in NFC? A login
 * replaces it.
 */
export function isReplaceable(hash: string, password: string): boolean {
  const forms = [password, inNfc(password)];
  const isCut = hash.startsWith('$2') && forms.some((form) => Buffer.byteLength(form) > BCRYPT_BYTES);
  return isOutdated(hash) && !isCut;
}

/** The hash of no password. Verifying it takes as long as verifying the hash of a real account. */
export const NOBODYS_HASH = `${CURRENT_PREFIX}YDgdqX9nAiTaC+509GolLA$2f38E8ZUXxdIour6yyYL0Zj9jFyTWrQNiKM1Jl8GVmM`;
