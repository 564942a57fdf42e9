import { type Dirent, readdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../domain/reason.ts';
import { makePrivateFolder, syncFolder } from '../../store/private-files.ts';
import { UNFINISHED } from './whole-file.ts';

/** The ends of the names: a backup, and one whose proof is still to come or failed. It restores like any other. */
const WHOLE = '.ndjson.zst';
const UNPROVED = '.unproved.zst';
/** Names sort by time. */
const STAMP = /^stoa-\d{8}T\d{6}Z/;

/** A running backup writes all the time, so what was not written for so long was left by a kill. */
const LEFT_AFTER_MS = 3_600_000;

/** The path of a new backup in the folder. Makes the folder (mode 0700), and removes what a kill left there. */
export function newBackupFile(folder: string): string {
  return join(prepared(folder), `${stampOf(Date.now())}${WHOLE}`);
}

/** The same for a backup that is to be proved. */
export function newUnprovedFile(folder: string): string {
  return join(prepared(folder), `${stampOf(Date.now())}${UNPROVED}`);
}

/** Gives a proved file its name, and returns the path. */
export async function nameProved(folder: string, unproved: string): Promise<string> {
  const file = unproved.slice(0, -UNPROVED.length) + WHOLE;
  await rename(unproved, file);
  syncFolder(folder);
  return file;
}

/** Removes all backups of the folder but the newest `keep`, and each one without a proof. Other files stay. */
export function removeOldBackups(folder: string, keep: number, proved: string): void {
  const names = backupsIn(folder);
  const old = names.slice(0, Math.max(0, names.length - keep)).map((name) => join(folder, name));
  // After a clock that was wrong, the names of older files may come later.
  for (const file of old) if (file !== proved) rmSync(file, { force: true });
  removeUnproved(folder);
}

/** Removes the backups without a proof, except for one. */
export function removeUnproved(folder: string, except?: string): void {
  for (const { name } of entriesIn(folder)) {
    const file = join(folder, name);
    if (STAMP.test(name) && name.endsWith(UNPROVED) && file !== except) rmSync(file, { force: true });
  }
}

/** The names of the whole backups in the folder, the oldest first. */
export function backupsIn(folder: string): string[] {
  const names = entriesIn(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  return names.filter((name) => STAMP.test(name) && name.endsWith(WHOLE)).sort();
}

function prepared(folder: string): string {
  makePrivateFolder(folder);
  for (const { name } of entriesIn(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(UNFINISHED)) continue;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > LEFT_AFTER_MS) rmSync(path, { force: true, recursive: true });
  }
  return folder;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function stampOf(time: number): string {
  return `stoa-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
}
