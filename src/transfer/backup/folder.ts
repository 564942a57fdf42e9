import { type Dirent, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../domain/reason.ts';
import { makePrivateFolder, syncFolder } from '../../store/private-files.ts';

/** The ends of the names: a backup, and one whose proof is still to come or failed. It restores like any other. */
const WHOLE = '.ndjson.zst';
const UNPROVED = '.unproved.zst';
/** Names sort by time. Any other name is that of another's file. */
const NAME = /^stoa-\d{8}T\d{6}Z\.(ndjson|unproved)\.zst$/;
/** What a kill may leave of one (whole-file.ts), or of its proof (prove.ts). */
const LEFT = /^(stoa-\d{8}T\d{6}Z\.(ndjson|unproved)\.zst\.|proof-)[0-9a-f]{8}\.unfinished$/;

/**
 * A running backup writes all the time, and its proof renews the time of its folder. So what has not been written for
 * so long was left by a kill.
 */
const LEFT_AFTER_MS = 3_600_000;

/**
 * The path of a new backup in the folder. Makes the folder (mode 0700), and removes what a kill left there. A folder
 * that root makes gets the owner of the file or folder `owner`.
 */
export function newBackupFile(folder: string, owner?: string): string {
  return join(prepared(folder, owner), `${freeStamp(folder)}${WHOLE}`);
}

/** The same for a backup that is to be proved. */
export function newUnprovedFile(folder: string): string {
  return join(prepared(folder), `${freeStamp(folder)}${UNPROVED}`);
}

/** Gives a proved file its name, and returns the path. Fails where a file has that name. */
export async function nameProved(folder: string, unproved: string): Promise<string> {
  const file = unproved.slice(0, -UNPROVED.length) + WHOLE;
  if (existsSync(file)) throw new Error(`${file} exists already`);
  await rename(unproved, file);
  syncFolder(folder);
  return file;
}

/** The paths of all files in the folder with the name of a backup, or of one without a proof: the oldest first. */
export function backupsIn(folder: string, { isProved }: { readonly isProved: boolean }): string[] {
  const files = entriesIn(folder).filter((entry) => entry.isFile() && NAME.test(entry.name));
  const names = files.map(({ name }) => name).filter((name) => name.endsWith(isProved ? WHOLE : UNPROVED));
  return names.sort().map((name) => join(folder, name));
}

/** Is this the name of a backup, proved or not? */
export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

/** Is this the name of a proved backup? "stoa backup" gives such names too. */
export function isProvedName(name: string): boolean {
  return NAME.test(name) && name.endsWith(WHOLE);
}

/** The time in the name of a backup, in milliseconds since 1970. */
export function timeInName(name: string): number {
  const iso = name.replace(/^stoa-(....)(..)(..)T(..)(..)(..)Z.*$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(iso) || 0;
}

function prepared(folder: string, owner?: string): string {
  makePrivateFolder(folder, owner);
  for (const path of leftInFolder(folder)) removeLeft(path);
  return folder;
}

/** What cannot be removed stays, and makes no backup fail: "stoa doctor" names it. */
function removeLeft(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {}
}

/** The paths of what a kill left in the folder. What a backup under way writes is not among them. */
export function leftInFolder(folder: string): string[] {
  const paths = entriesIn(folder)
    .filter(({ name }) => LEFT.test(name))
    .map(({ name }) => join(folder, name));
  return paths.filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > LEFT_AFTER_MS;
  });
}

/** The path of something in the folder that is no backup and no part of one. Undefined where all is. */
export function foreignIn(folder: string): string | undefined {
  const foreign = entriesIn(folder).find(({ name }) => !NAME.test(name) && !LEFT.test(name));
  return foreign && join(folder, foreign.name);
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** A service that was killed and is back within a second finds its last name taken: the next second is free. */
function freeStamp(folder: string): string {
  let time = Date.now();
  while ([WHOLE, UNPROVED].some((end) => existsSync(join(folder, `${stampOf(time)}${end}`)))) time += 1_000;
  return stampOf(time);
}

function stampOf(time: number): string {
  return `stoa-${new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
}
