import { scryptSync, timingSafeEqual } from 'node:crypto';
import { fromBase64, isDigest, isSalt, MOST_MEMORY, type ReadHash } from './read-hash.ts';

/** The PHC string that passlib writes; N is 2 to the power of `ln`. */
const FORM = /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,4}),p=([1-9]\d{0,4})\$([\w+/]+)\$([\w+/]+)$/;

/** N times r times p: 128 MiB in one lane. A block of it has 128 bytes. */
const MOST_WORK = MOST_MEMORY / 128;

/** Reads a PHC text of scrypt. Undefined for any other text, and where its parameters are not valid. */
export function readScrypt(hash: string): ReadHash | undefined {
  const [, ln, blockSize, lanes, saltText = '', digestText = ''] = FORM.exec(hash) ?? [];
  const [r, p] = [Number(blockSize), Number(lanes)];
  const [salt, digest] = [fromBase64(saltText), fromBase64(digestText)];
  // RFC 7914, section 2: N is less than 2 to the power of 16 r.
  const isWellFormed = Number(ln) < 16 * r && isSalt(salt) && isDigest(digest);
  if (!isWellFormed) return undefined;
  const N = 2 ** Number(ln);
  // OpenSSL counts some more blocks than those of the work.
  const cost = { N, r, p, maxmem: 2 * MOST_MEMORY };
  return {
    isAffordable: N * r * p <= MOST_WORK,
    limit: `N times r times p=${MOST_WORK}`,
    verify: (password) => timingSafeEqual(scryptSync(password, salt, digest.length, cost), digest),
  };
}
