import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { realPathOf } from '../private-files.ts';

/** Bytes that have to fit: the largest write, with its frames in the log. */
const ENOUGH = 2 * 1024 * 1024;

/** True if nothing keeps a write from the database file: neither the lock of another process nor the disk. */
export async function takesWrites(file: string): Promise<boolean> {
  return canLock(file) && (await hasRoomBeside(file));
}

/**
 * Waits for nobody, because requests would wait too. A write of our own that is under way counts as a lock until the
 * next look.
 */
function canLock(file: string): boolean {
  try {
    using database = new DatabaseSync(file, { timeout: 0 });
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/**
 * True if there is room in the folder of the database file. It writes a file of random bytes and removes it, because
 * the free blocks that a file system reports ignore quotas and limits of the process.
 */
export async function hasRoomBeside(file: string): Promise<boolean> {
  const trial = `${realPathOf(file)}-room`;
  try {
    await writeFile(trial, randomBytes(ENOUGH), { mode: 0o600, flush: true });
    return true;
  } catch {
    return false;
  } finally {
    await rm(trial, { force: true });
  }
}
