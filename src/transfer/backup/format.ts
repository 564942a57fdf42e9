import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { OperatorError } from '../../domain/operator-error.ts';
import type { LiveTable } from '../../store/move-end.ts';
import type { Checksum } from '../checksum.ts';

/**
 * The form of a backup file. It is a sequence of frames of Zstandard, so `zstd -dc` shows its rows as lines of JSON
 * (https://www.rfc-editor.org/rfc/rfc8878). Three frames are ours. Zstandard calls such frames skippable.
 *
 * - The header, as JSON (`Header`).
 * - The rows, compressed. A line is the name of the table that begins, or an array of rows. A row is an array of values
 *   in the order of the header's columns.
 * - The footer, as JSON (`Footer`).
 * - The end: the length of the footer (4 bytes), and the SHA-256 of every byte before itself.
 */
export const FORMAT = 1;

export interface Header {
  readonly format: number;
  /** The version of Stoa that wrote the file. */
  readonly stoa: string;
  readonly engine: 'sqlite' | 'postgres';
  /** When the rows were as they are here, in milliseconds since 1970. */
  readonly made_at: number;
  /** The identity of the database (src/schema/0041_epoch.ts). */
  readonly database: string;
  /** The steps of the schema, oldest first. */
  readonly schema: readonly string[];
  readonly sealing: {
    /** What only the sealing key of the rows opens (services/sealing/secrets.ts). Null where nothing is sealed yet. */
    readonly check: string | null;
    /** The name of that key. Null where the writer did not have the key. */
    readonly key: string | null;
  };
  /** In the order of copying. */
  readonly tables: readonly LiveTable[];
}

export interface Footer {
  /** In the order of the header. */
  readonly tables: readonly (Checksum & {
    readonly table: string;
    /** The highest id that the table had assigned, or 0. */
    readonly last_id: number;
  })[];
}

/** The magic numbers of our frames: of the 16 that Zstandard skips. */
const HEADER = 0x184d2a50;
const FOOTER = 0x184d2a51;
const END = 0x184d2a52;
const FRAME_START = 8;
export const DIGEST_BYTES = 32;
const END_BYTES = FRAME_START + 4 + DIGEST_BYTES;
/** A header or a footer of more bytes is none. */
const MOST_BYTES = 4 * 1024 * 1024;

export function headerFrame(header: Header): Buffer {
  return frame(HEADER, Buffer.from(JSON.stringify(header)));
}

/** The last bytes of the file, without the digest. */
export function closingFrames(footer: Footer): Buffer {
  const bytes = Buffer.from(JSON.stringify(footer));
  const end = Buffer.alloc(4 + DIGEST_BYTES);
  end.writeUInt32LE(bytes.length);
  return Buffer.concat([frame(FOOTER, bytes), frame(END, end).subarray(0, -DIGEST_BYTES)]);
}

/** The digest at the end of the file. */
export function newDigest() {
  return createHash('sha256');
}

/** Reads `length` bytes of the file at a place; fewer where the file ends. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>;

/** Reads parts of an open file. */
export function readerOf(handle: FileHandle): ReadAt {
  return async (position, length) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), { position });
    return buffer.subarray(0, bytesRead);
  };
}

/** The parts of a file, by the places of its frames. The bytes of the rows are from `begin` on, before `end`. */
export interface Layout {
  readonly header: unknown;
  readonly footer: unknown;
  readonly begin: number;
  readonly end: number;
}

/** The header as JSON, whatever its format, and where the rows begin. Undefined where the file has none. */
export async function readHeader(read: ReadAt): Promise<Pick<Layout, 'header' | 'begin'> | undefined> {
  const start = await read(0, FRAME_START);
  const length = lengthIn(start, HEADER);
  if (length === undefined) return undefined;
  const begin = FRAME_START + length;
  return { header: jsonIn(await read(FRAME_START, length)), begin };
}

/** The footer as JSON, and where the rows end. Undefined where the file has none. */
export async function readFooter(
  read: ReadAt,
  size: number,
): Promise<Pick<Layout, 'footer' | 'end'> | undefined> {
  const last = await read(Math.max(0, size - END_BYTES), END_BYTES);
  if (lengthIn(last, END) !== END_BYTES - FRAME_START) return undefined;
  const length = last.readUInt32LE(FRAME_START);
  const end = size - END_BYTES - length - FRAME_START;
  if (end < 0 || lengthIn(await read(end, FRAME_START), FOOTER) !== length) return undefined;
  return { footer: jsonIn(await read(end + FRAME_START, length)), end };
}

export function cutOrChanged(file: string): OperatorError {
  return new OperatorError(
    `The backup ${file} was cut off or changed after it was written; take another copy of it. Nothing was restored.`,
  );
}

/**
 * The digest is right, and the rows are not as Stoa writes them. Reading them begins when the database was made.
 * `cause` is for developers: the fault may be one of the code that reads them.
 */
export function notOfStoa(file: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The rows of the backup ${file} are not as Stoa writes them; take another copy of it, and restore that into an empty database.`,
    { cause },
  );
}

function frame(magic: number, content: Buffer): Buffer {
  const start = Buffer.alloc(FRAME_START);
  start.writeUInt32LE(magic);
  start.writeUInt32LE(content.length, 4);
  return Buffer.concat([start, content]);
}

/** The length of the content if a frame of this kind begins here, else undefined. */
function lengthIn(start: Buffer, magic: number): number | undefined {
  if (start.length < FRAME_START || start.readUInt32LE() !== magic) return undefined;
  const length = start.readUInt32LE(4);
  return length <= MOST_BYTES ? length : undefined;
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
