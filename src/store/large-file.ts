import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '../domain/reason.ts';

// The commit of a service waits for all that the disk has to do before it: for the sync of a large file, and for the
// freeing of its blocks. So both are done in parts, which take milliseconds each.

/** Bytes that are synced at once. */
export const PART_BYTES = 1024 * 1024;
/** Bytes that are freed at once. */
const FREED_BYTES = 8 * PART_BYTES;
/** A removal has at most this many parts, so that a process that is asked to stop can end it in time. */
const MOST_PARTS = 64;
/** Between two parts of a removal. */
const PAUSE_MS = 5;

/** Appends to the file. When the stream has finished, the file is on disk and closed. */
export function appendInParts(handle: FileHandle): Writable {
  let unsynced = 0;
  const append = async (chunk: Buffer) => {
    await handle.appendFile(chunk);
    unsynced += chunk.length;
    if (unsynced < PART_BYTES) return;
    await handle.datasync();
    unsynced = 0;
  };
  const end = async () => {
    await handle.sync();
    await handle.close();
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => void append(chunk).then(() => done(), done),
    final: (done) => void end().then(() => done(), done),
  });
}

/** Removes a file, if it exists. One with a second name loses only this one, and no byte. */
export async function removeInParts(file: string): Promise<void> {
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    const { size, nlink } = await handle.stat();
    const part = Math.max(FREED_BYTES, Math.ceil(size / MOST_PARTS));
    for (let left = nlink > 1 ? 0 : size - part; left > 0; left -= part) {
      await handle.truncate(left);
      await handle.datasync();
      await pause(PAUSE_MS);
    }
  } finally {
    await handle.close();
  }
  await rm(file, { force: true });
}
