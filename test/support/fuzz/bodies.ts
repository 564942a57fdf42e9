import fc from 'fast-check';
import type { Json } from './values.ts';

const BAD_BYTES = ['00', 'ff', 'c080', 'eda080', 'f4908080', 'e282', '1f', '0a', 'efbbbf', '7f'];

/** The JSON as bytes: mostly as it is, at times broken in one way. */
export function bodyOf(json: fc.Arbitrary<Json>): fc.Arbitrary<Buffer> {
  const bytes = json.map((text) => Buffer.from(text));
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const badByte = fc.constantFrom(...BAD_BYTES).map((hex) => Buffer.from(hex, 'hex'));
  const broken = fc.oneof(
    fc.tuple(bytes, place).map(([body, at]) => body.subarray(0, Math.floor(at * body.length))),
    fc.tuple(bytes, place, badByte).map(([body, at, bad]) => insert(body, Math.floor(at * body.length), bad)),
    fc
      .tuple(json, fc.constantFrom(',', ']', '{}', 'null', '\0', ' x'))
      .map(([text, end]) => Buffer.from(text + end)),
    json.map((text) => Buffer.from(text, 'utf16le')),
    fc.tuple(json, fc.constantFrom(15, 16, 17, 1_500, 100_000)).map(([text, depth]) => deep(text, depth)),
    fc.tuple(json, fc.constantFrom(100, 9_999, 20_000)).map(([text, count]) => wide(text, count)),
    fc
      .constantFrom('', ' ', 'NaN', 'nul', '{"a":1,}', "{'a':1}", '[1', '"', '{"a":.1}')
      .map((text) => Buffer.from(text)),
  );
  return fc.oneof({ weight: 8, arbitrary: bytes }, { weight: 1, arbitrary: broken });
}

function insert(body: Buffer, at: number, bytes: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

function deep(json: Json, depth: number): Buffer {
  return Buffer.from(`${'['.repeat(depth)}${json}${']'.repeat(depth)}`);
}

/** One more member, with that many parts; each of them a mistake wherever texts are wanted. */
function wide(json: Json, count: number): Buffer {
  const part = `"tags":[${Array(count).fill('1').join(',')}]`;
  return Buffer.from(
    json.startsWith('{') ? json.replace('{', `{${part}${json === '{}' ? '' : ','}`) : `[${part}]`,
  );
}
