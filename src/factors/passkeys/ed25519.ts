/** The prime of the field, and the constant of the curve (RFC 8032, 5.1). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SIGN = 2n ** 255n;

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/**
 * Are these 32 bytes a point of the curve whose order is not small? Neither OpenSSL nor WebCrypto checks that when it
 * imports a key. A key that does not decode verifies nothing. With a key of small order, anybody can sign.
 */
export function isEd25519Key(bytes: Uint8Array): boolean {
  const point = bytes.length === 32 ? decode(bytes) : undefined;
  if (!point) return false;
  const { x, y } = double(double(double(point)));
  return x !== 0n || y !== 1n;
}

/** RFC 8032, 5.1.3. Undefined where the bytes are no point, or not its canonical encoding. */
function decode(bytes: Uint8Array): Point | undefined {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const [y, isOdd] = [number % SIGN, number >= SIGN];
  if (y >= P) return undefined;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  const root = mod(u * v ** 3n * power(mod(u * v ** 7n), (P - 5n) / 8n));
  const square = mod(v * root * root);
  if (square !== u && square !== mod(-u)) return undefined;
  const x = square === u ? root : mod(root * power(2n, (P - 1n) / 4n));
  if (x === 0n && isOdd) return undefined;
  return { x: (x % 2n === 1n) === isOdd ? x : mod(-x), y };
}

function double({ x, y }: Point): Point {
  const product = mod(D * x * x * y * y);
  return {
    x: mod(2n * x * y * inverse(1n + product)),
    y: mod((y * y + x * x) * inverse(1n - product)),
  };
}

function mod(number: bigint): bigint {
  const rest = number % P;
  return rest < 0n ? rest + P : rest;
}

function inverse(number: bigint): bigint {
  return power(mod(number), P - 2n);
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
