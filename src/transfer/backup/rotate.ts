import { open } from 'node:fs/promises';
import { backupsIn } from './folder.ts';
import { type Header, readFooter, readHeader } from './format.ts';
import { removeWholeFile } from './whole-file.ts';

/**
 * Removes the backups of this database in the folder but the newest `keep`, and those without a proof. `proved` is one of
 * them, and stays. All other files stay: backups of other databases, and what was cut off or is of no format of ours.
 */
export async function removeOldBackups(folder: string, keep: number, proved: string): Promise<void> {
  const files = await ofOneDatabase(proved, backupsIn(folder, { isProved: true }));
  // After a clock that was wrong, the names of older files may come later.
  const others = files.filter((file) => file !== proved);
  for (const file of others.slice(0, Math.max(0, others.length - (keep - 1)))) await removeWholeFile(file);
  await removeUnproved(folder, proved);
}

/** Removes the backups of the same database that have no proof, except for this one. */
export async function removeUnproved(folder: string, one: string): Promise<void> {
  for (const file of await ofOneDatabase(one, backupsIn(folder, { isProved: false })))
    if (file !== one) await removeWholeFile(file);
}

/** Those of the files that are whole, and of the same database as one of them. */
async function ofOneDatabase(one: string, files: readonly string[]): Promise<string[]> {
  const database = await databaseIn(one);
  const found: string[] = [];
  for (const file of files) if ((await databaseIn(file)) === database) found.push(file);
  return database === undefined ? [] : found;
}

/** The identity of the database in a backup. Undefined where the file has no beginning or no end of one. */
export async function databaseIn(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const read = async (position: number, length: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), { position });
      return buffer.subarray(0, bytesRead);
    };
    const start = await readHeader(read);
    const end = await readFooter(read, (await handle.stat()).size);
    return end && (start?.header as Partial<Header> | undefined)?.database;
  } finally {
    await handle.close();
  }
}
