import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { filesOf } from '../store/sqlite/narrow-data.ts';
import { leftSnapshot } from '../store/sqlite/snapshot.ts';
import { foreignIn, leftInFolder } from '../transfer/backup/folder.ts';

/** A file or folder that is only for its owner, and the setting that names its place. */
interface PrivatePath {
  readonly path: string;
  readonly setting: 'DATA_DIR' | 'BACKUP_DIR';
}

/** The files of the database. Empty on PostgreSQL. */
export function privateData({ database }: Config): PrivatePath[] {
  const files = database.kind === 'sqlite' ? filesOf(database.file) : [];
  return files.map((path) => ({ path, setting: 'DATA_DIR' }));
}

/** The folder of backups, but not one that others use too: it must stay open to these. */
export function privateBackups({ backupDir }: Config): PrivatePath[] {
  return foreignIn(backupDir) === undefined ? [{ path: backupDir, setting: 'BACKUP_DIR' }] : [];
}

/** Files that the operator wrote, with secrets in them. */
export function givenSecrets({ secretFiles }: Config): string[] {
  return [resolve('.env'), ...secretFiles];
}

/** The copy of the database that a killed backup left. */
export function leftCopy({ database }: Config): string[] {
  const copy = database.kind === 'sqlite' ? leftSnapshot(database.file) : undefined;
  return copy === undefined ? [] : [copy];
}

/** What killed backups left in their folder. */
export function leftBackups({ backupDir }: Config): string[] {
  return leftInFolder(backupDir);
}
