import { pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { fromBase64, isDigest, isSalt, type ReadHash } from './read-hash.ts';

/** PHC (`i=600000` or `i=600000,l=32`) and passlib (the number alone, "." for "+"). */
const PHC = /^\$pbkdf2-(sha256|sha512)\$(?:i=)?([1-9]\d{0,9})(?:,l=(\d{1,3}))?\$([\w+/.]+)\$([\w+/.]+)$/;
/** Django: the salt is a text, and the digest is padded. */
const DJANGO = /^pbkdf2_(sha256)\$([1-9]\d{0,9})\$([^$]{1,128})\$([\w+/]+)=?$/;

/** The most iterations for each part of the digest. A part is as long as the output of the hash function. */
const MOST_ITERATIONS = { sha256: 2_000_000, sha512: 1_000_000 };
const DIGEST_LENGTH = { sha256: 32, sha512: 64 };

/** Reads a hash of PBKDF2 in either form. Undefined for any other text. */
export function readPbkdf2(hash: string): ReadHash | undefined {
  return readPhc(hash) ?? readDjango(hash);
}

function readPhc(hash: string): ReadHash | undefined {
  const [, name, iterations, length, saltText = '', digestText = ''] = PHC.exec(hash) ?? [];
  const [salt, digest] = [saltText, digestText].map((text) => fromBase64(text.replaceAll('.', '+')));
  if (!salt || !digest || !isSalt(salt) || !isDigest(digest)) return undefined;
  if (length !== undefined && Number(length) !== digest.length) return undefined;
  return readable(name === 'sha512' ? 'sha512' : 'sha256', Number(iterations), salt, digest);
}

function readDjango(hash: string): ReadHash | undefined {
  const [, , iterations, salt = '', digestText = ''] = DJANGO.exec(hash) ?? [];
  const digest = fromBase64(digestText);
  if (digest.length !== DIGEST_LENGTH.sha256) return undefined;
  return readable('sha256', Number(iterations), Buffer.from(salt), digest);
}

function readable(name: 'sha256' | 'sha512', iterations: number, salt: Buffer, digest: Buffer): ReadHash {
  const parts = Math.ceil(digest.length / DIGEST_LENGTH[name]);
  return {
    isAffordable: iterations * parts <= MOST_ITERATIONS[name],
    limit: `${MOST_ITERATIONS[name]} iterations for each ${DIGEST_LENGTH[name]} bytes`,
    verify: (password) =>
      timingSafeEqual(pbkdf2Sync(password, salt, iterations, digest.length, name), digest),
  };
}
