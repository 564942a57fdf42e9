import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const TYPE = 'zTXt';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  /** The chunk with its length, its type and its checksum. */
  readonly bytes: Buffer;
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + 12 + length;
    yield {
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
      bytes: png.subarray(at, end),
    };
    at = end;
  }
}

/** The picture with a compressed text of ASCII under a name, before its end. */
export function withText(png: Buffer, name: string, text: string): Buffer {
  const data = Buffer.concat([Buffer.from(`${TYPE}${name}\0\0`, 'latin1'), deflateSync(text)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length - TYPE.length);
  sum.writeUInt32BE(crc32(data));
  const chunks = Array.from(chunksOf(png), ({ type, bytes }) =>
    type === 'IEND' ? [length, data, sum, bytes] : [bytes],
  );
  return Buffer.concat([png.subarray(0, SIGNATURE_BYTES), ...chunks.flat()]);
}

/** The text under a name, if the picture has it. */
export function textOf(png: Buffer, name: string): string | undefined {
  const found = Array.from(chunksOf(png)).find(
    ({ type, data }) => type === TYPE && data.toString('latin1', 0, name.length + 1) === `${name}\0`,
  );
  return found && inflateSync(found.data.subarray(name.length + 2)).toString();
}

/** Pixels across and down. */
export function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  return {
    width: png.readUInt32BE(SIGNATURE_BYTES + 8),
    height: png.readUInt32BE(SIGNATURE_BYTES + 12),
  };
}
