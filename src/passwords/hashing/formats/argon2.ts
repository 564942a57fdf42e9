import { verifySync } from '@node-rs/argon2';
import { fromBase64, isDigest, isSalt, MOST_MEMORY, type ReadHash } from './read-hash.ts';

/** The PHC string of argon2i, argon2d and argon2id. Without a version it is of version 1.0 (16). */
const FORM =
  /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,3})\$([\w+/]+)\$([\w+/]+)$/;

const MOST_KIB = MOST_MEMORY / 1024;
/** The most KiB times passes: four passes over the most memory. */
const MOST_WORK = 4 * MOST_KIB;
const MOST_LANES = 16;

/** Reads a PHC text of argon2. Undefined for any other text, and where its parameters or sizes are not valid. */
export function readArgon2(hash: string): ReadHash | undefined {
  const [, memory, passes, lanes, salt = '', digest = ''] = FORM.exec(hash) ?? [];
  const [m, t, p] = [Number(memory), Number(passes), Number(lanes)];
  // RFC 9106, 3.1: at least 8 KiB for each lane.
  const isWellFormed = m >= 8 * p && isSalt(fromBase64(salt)) && isDigest(fromBase64(digest));
  if (!isWellFormed) return undefined;
  return {
    isAffordable: m <= MOST_KIB && m * t <= MOST_WORK && p <= MOST_LANES,
    limit: `m=${MOST_KIB}, m times t=${MOST_WORK} and p=${MOST_LANES}`,
    verify: (password) => verifySync(hash, password),
  };
}
