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

/** A folder of backups that others use too is not among them, because it must stay open to these. */
export function privatePaths({ database, backupDir }: Config): PrivatePath[] {
  const files = database.kind === 'sqlite' ? filesOf(database.file) : [];
  return [
    ...files.map((path) => ({ path, setting: 'DATA_DIR' }) as const),
    ...(foreignIn(backupDir) === undefined ? ([{ path: backupDir, setting: 'BACKUP_DIR' }] as const) : []),
  ];
}

/** Files that the operator wrote, with secrets in them. */
export function givenSecrets({ secretFiles }: Config): string[] {
  return [resolve('.env'), ...secretFiles];
}

/** What killed backups left. */
export function leftPaths({ database, backupDir }: Config): string[] {
  const copy = database.kind === 'sqlite' ? leftSnapshot(database.file) : undefined;
  return [...leftInFolder(backupDir), ...(copy === undefined ? [] : [copy])];
}
