import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { realPathOf } from '../private-files.ts';

/** Bytes that have to fit: the write of the largest item, with its frames in the log. */
const ENOUGH = 2 * 1024 * 1024;

/**
 * True if there is room in the folder of the database file. It writes a file of random bytes and removes it, because
 * the free blocks that a file system reports ignore quotas and limits of the process.
 */
export async function hasRoomBeside(file: string): Promise<boolean> {
  const trial = `${realPathOf(file)}-room`;
  try {
    await writeFile(trial, randomBytes(ENOUGH), { mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(trial, { force: true });
  }
}
