import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { PERSONAL_PREFIX } from './token-shape.ts';

/** In the order of their values. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** Digits of base 62 that 256 and 32 bits take at most. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PERSONAL_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new token: the prefix, 256 random bits and a checksum of both, the last two in base 62. */
export function newPersonalToken(): string {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  const text = PERSONAL_PREFIX + inBase62(random, RANDOM_LENGTH);
  return text + checksumOf(text);
}

/** May this service have made the token? Scanners for leaked secrets can tell, and a mistyped token costs no read. */
export function isWellFormed(text: string): boolean {
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return SHAPE.test(text) && checksumOf(body) === text.slice(-CHECKSUM_LENGTH);
}

/** The CRC-32 (ISO-HDLC, that of zlib) of the text. */
function checksumOf(text: string): string {
  return inBase62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function inBase62(value: bigint, length: number): string {
  let [digits, rest] = ['', value];
  for (; digits.length < length; rest /= 62n) digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  return digits;
}
