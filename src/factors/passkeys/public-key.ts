import { createPublicKey } from 'node:crypto';
import { isEd25519Key } from './ed25519.ts';

/** A COSE key (RFC 9053): numbers and byte strings, by the number of the member. */
type CoseKey = ReadonlyMap<number, unknown>;

/** When a key is good, by the number of its algorithm. */
const GOOD: ReadonlyMap<number, (key: CoseKey) => boolean> = new Map([
  [-8, (key: CoseKey) => isOf(key, { kty: 1, crv: 6 }) && isEd25519Key(bytesOf(key, -2))],
  [-7, (key: CoseKey) => isOf(key, { kty: 2, crv: 1 }) && isOnP256(bytesOf(key, -2), bytesOf(key, -3))],
  [-257, (key: CoseKey) => isOf(key, { kty: 3 }) && isRsaKey(bytesOf(key, -1), bytesOf(key, -2))],
]);

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812), in the order of our preference. */
export const ALGORITHMS = [...GOOD.keys()];

const ALGORITHM = 3;
/** Bits of the modulus of an RSA key. Shorter keys can be broken, and longer keys are slow to check. */
const RSA_BITS = { least: 2048, most: 4096 };
const MOST_EXPONENT = 2 ** 32 - 1;

/**
 * Can signatures be checked by this key? Its members must be those of its algorithm, and its point must be on the curve.
 * Nothing else checks that before the first use, and a passkey counts as a second factor at once.
 */
export function isGoodKey(key: CoseKey): boolean {
  const algorithm = key.get(ALGORITHM);
  return typeof algorithm === 'number' && (GOOD.get(algorithm)?.(key) ?? false);
}

function isOf(key: CoseKey, { kty, crv }: { readonly kty: number; readonly crv?: number }): boolean {
  return key.get(1) === kty && (crv === undefined || key.get(-1) === crv);
}

/** Empty where the member is no byte string. */
function bytesOf(key: CoseKey, member: number): Uint8Array {
  const value = key.get(member);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** OpenSSL refuses a point that is not on the curve. */
function isOnP256(x: Uint8Array, y: Uint8Array): boolean {
  if (x.length !== 32 || y.length !== 32) return false;
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

function isRsaKey(modulus: Uint8Array, exponent: Uint8Array): boolean {
  const [first = 0, last = 0] = [modulus[0], modulus.at(-1)];
  const bits = modulus.length * 8 - (Math.clz32(first) - 24);
  if (first === 0 || last % 2 === 0 || bits < RSA_BITS.least || bits > RSA_BITS.most) return false;
  const e = exponent.reduce((number, byte) => number * 256 + byte, 0);
  return exponent[0] !== 0 && e % 2 === 1 && e >= 3 && e <= MOST_EXPONENT;
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
