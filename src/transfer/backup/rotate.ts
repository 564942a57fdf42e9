import { open } from 'node:fs/promises';
import type { Notice } from '../../domain/notice.ts';
import { hasCode } from '../../domain/reason.ts';
import { backupsIn } from './folder.ts';
import { type Header, readerOf, readFooter, readHeader } from './format.ts';
import { removeWholeFile } from './whole-file.ts';

// A file that cannot be read or removed gives a notice and stays. It must not make a new backup fail: another one would
// be made soon, and stay too, until the disk is full.

/**
 * Removes the backups of this database in the folder but the newest `keep`, and those without a proof. `proved` is one
 * of them, and stays. All other files stay: backups of other databases, and what was cut off or is of no format of
 * ours.
 */
export async function removeOldBackups(
  folder: string,
  { keep, proved, notice }: { readonly keep: number; readonly proved: string; readonly notice: Notice },
): Promise<void> {
  const files = await ofOneDatabase(proved, backupsIn(folder, { isProved: true }), notice);
  // After a clock that was wrong, the names of older files may come later.
  const others = files.filter((file) => file !== proved);
  await remove(others.slice(0, Math.max(0, others.length - (keep - 1))), notice);
  await removeUnproved(folder, proved, notice);
}

/** Removes the backups of the same database that have no proof, except for this one. */
export async function removeUnproved(folder: string, one: string, notice: Notice): Promise<void> {
  const files = await ofOneDatabase(one, backupsIn(folder, { isProved: false }), notice);
  await remove(
    files.filter((file) => file !== one),
    notice,
  );
}

async function remove(files: readonly string[], notice: Notice): Promise<void> {
  for (const file of files) {
    await removeWholeFile(file).catch((error: unknown) =>
      notice(`the old backup ${file} cannot be removed; remove it`, error),
    );
  }
}

/** Those of the files that are whole, and of the same database as one of them. */
async function ofOneDatabase(one: string, files: readonly string[], notice: Notice): Promise<string[]> {
  const read = (file: string) =>
    databaseIn(file).catch((error: unknown) => {
      notice(`the backup ${file} cannot be read, so it stays; remove it if nobody needs it`, error);
      return undefined;
    });
  const database = await read(one);
  if (database === undefined) return [];
  const found: string[] = [];
  for (const file of files) if ((await read(file)) === database) found.push(file);
  return found;
}

/**
 * The identity of the database in a backup. Undefined where there is no file, or none with the two ends of a backup.
 */
export async function databaseIn(file: string): Promise<string | undefined> {
  const handle = await open(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const read = readerOf(handle);
    const start = await readHeader(read);
    const end = await readFooter(read, (await handle.stat()).size);
    return end && (start?.header as Partial<Header> | undefined)?.database;
  } finally {
    await handle.close();
  }
}
