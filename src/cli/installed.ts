import type { Config } from '../config.ts';
import { typed, typedStart } from '../domain/installation.ts';
import type { Schema } from '../store/move-end.ts';
import { leftSnapshot } from '../store/sqlite/snapshot.ts';
import { leftInFolder } from '../transfer/backup/folder.ts';

/** Files and folders that are for their owner alone. */
export function privatePaths({ database, backupDir }: Config): string[] {
  const files =
    database.kind === 'sqlite' ? ['', '-wal', '-shm', '-derived'].map((end) => database.file + end) : [];
  return [...files, backupDir];
}

/** What killed backups left. */
export function leftPaths({ database, backupDir }: Config): string[] {
  const copy = database.kind === 'sqlite' ? leftSnapshot(database.file) : undefined;
  return [...leftInFolder(backupDir), ...(copy === undefined ? [] : [copy])];
}

/** What to do with a database that has not the schema of this version. */
export const CURES: Readonly<Record<Schema, string | undefined>> = {
  nothing: `is empty; start the service once (${typedStart()}).`,
  foreign: 'has tables of another program; give Stoa a database of its own.',
  older: `has the schema of an older version; make a backup, and run "${typed('migrate')}".`,
  newer: 'is of another version of Stoa; start the version that made it, or a newer one.',
  current: undefined,
};
