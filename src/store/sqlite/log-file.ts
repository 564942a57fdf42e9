import { closeSync, openSync, readSync } from 'node:fs';
import { hasCode } from '../../domain/reason.ts';

/** Sizes in bytes in SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
const HEADER = 32;
const FRAME_HEADER = 24;
const LARGEST_PAGE = 65_536;

/**
 * The header of the log and its first frame, if the file has them. Both change when a new log begins. Empty without a
 * log. Reading the log ends no lock of this process, because SQLite has none on that file.
 */
export function readLogStart(log: string): Buffer {
  return reading(log, (read) => read(0, HEADER + FRAME_HEADER + pageSizeOf(read(0, HEADER))));
}

/** Page 1 of the database if the log begins with a transaction that wrote only this page, else undefined. */
export function firstPageAlone(start: Buffer): Buffer | undefined {
  const [header, frame] = [start.subarray(0, HEADER), start.subarray(HEADER)];
  const pageSize = pageSizeOf(header);
  if (pageSize === 0 || frame.length < FRAME_HEADER + pageSize) return undefined;
  const [page, pagesAfterCommit] = [frame.readUInt32BE(0), frame.readUInt32BE(4)];
  return page === 1 && pagesAfterCommit > 0 && isWhole(header, frame)
    ? frame.subarray(FRAME_HEADER)
    : undefined;
}

/** The first `length` bytes of each version of page 1 in the log. */
export function firstPagesIn(log: string, length: number): Buffer[] {
  return reading(log, (read) => {
    const header = read(0, HEADER);
    const pages: Buffer[] = [];
    for (let at = HEADER; ; at += FRAME_HEADER + pageSizeOf(header)) {
      const frame = read(at, FRAME_HEADER + length);
      if (frame.length < FRAME_HEADER + length || !isFrameOf(header, frame)) return pages;
      if (frame.readUInt32BE(0) === 1) pages.push(frame.subarray(FRAME_HEADER));
    }
  });
}

/** Zero if this is no header of a log. */
function pageSizeOf(header: Buffer): number {
  const size = header.length === HEADER ? header.readUInt32BE(8) : 0;
  return size <= LARGEST_PAGE ? size : 0;
}

/** False for a frame of an earlier log that this log has not overwritten yet. Such a frame has other salts. */
function isFrameOf(header: Buffer, frame: Buffer): boolean {
  return header.subarray(16, 24).equals(frame.subarray(8, 16));
}

/**
 * True if the checksum of the first frame is right. It continues the checksum of the header, so that of an earlier
 * frame is wrong.
 */
function isWhole(header: Buffer, frame: Buffer): boolean {
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  let [one, two] = [0, 0];
  for (const part of [header.subarray(0, 24), frame.subarray(0, 8), frame.subarray(FRAME_HEADER)]) {
    const word = (at: number) => (isBigEndian ? part.readUInt32BE(at) : part.readUInt32LE(at));
    for (let at = 0; at < part.length; at += 8) {
      one = (one + word(at) + two) >>> 0;
      two = (two + word(at + 4) + one) >>> 0;
    }
  }
  return one === frame.readUInt32BE(16) && two === frame.readUInt32BE(20);
}

/** Returns fewer bytes at the end of the file, and none without a file. */
type Read = (at: number, length: number) => Buffer;

function reading<Result>(file: string, work: (read: Read) => Result): Result {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return work(() => Buffer.alloc(0));
  try {
    return work((at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file for reading. Undefined if it does not exist. */
export function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
