import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/** Bytes that have to fit: the write of the largest item, and its frames in the log. */
const ENOUGH = 2 * 1024 * 1024;

/**
 * Is there room beside the database file? A file of random bytes is written and removed: what the file system tells of
 * free blocks leaves out quotas and limits of the process.
 */
export async function hasRoomBeside(file: string): Promise<boolean> {
  const trial = `${file}-room`;
  try {
    await writeFile(trial, randomBytes(ENOUGH), { mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(trial, { force: true });
  }
}
