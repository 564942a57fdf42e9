import { BACKUP_FOLDER } from './config.ts';
import { typedStart } from './domain/installation.ts';
import { type Notice, toStderr } from './domain/notice.ts';
import { OperatorError } from './domain/operator-error.ts';
import { DERIVED } from './schema/derived.ts';
import { MIGRATIONS } from './schema/index.ts';
import { POSTGRES_OBJECTS } from './schema/postgres-objects.ts';
import { TRIGRAM_INDEXES } from './schema/trigram-indexes.ts';
import { KEY_FILE } from './services/sealing/key.ts';
import type { Database } from './settings/database-url.ts';
import type { Migration, SchemaPlan } from './store/migration.ts';
import type { MoveEnd, Side } from './store/move-end.ts';
import { placeOf } from './store/postgres/place.ts';
import { openSqliteEnd } from './store/sqlite/move-end.ts';
import { narrowData } from './store/sqlite/narrow-data.ts';
import { copySnapshot } from './store/sqlite/snapshot.ts';
import { fileExists } from './store/sqlite/unusable.ts';

/** Fails with OperatorError where there is no database of a service. */
export async function requireDatabase(database: Database): Promise<void> {
  if (await isThere(database)) return;
  throw new OperatorError(
    `There is no database of Stoa at ${nameOf(database)}; start the service once (${typedStart()}), set DATA_DIR or DATABASE_URL as the service has it, or run this in the folder of the service.`,
  );
}

async function isThere(database: Database): Promise<boolean> {
  if (database.kind === 'sqlite') return fileExists(database.file);
  const { hasSchema } = await import('./store/postgres/connect.ts');
  return hasSchema(database.url);
}

/** The database as the operator knows it: the path of its file, or its host and name without a password. */
export function nameOf(database: Database): string {
  return database.kind === 'sqlite' ? database.file : `postgres://${placeOf(database.url)}`;
}

/** Opens a database as one end of a move. Fails with OperatorError where that is impossible. */
export async function openMoveEnd(
  database: Database,
  side: Side,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MoveEnd> {
  if (database.kind === 'sqlite') return openSqliteEnd(database.file, side, migrations, DERIVED);
  const { openPostgresEnd } = await import('./store/postgres/move-end.ts');
  return openPostgresEnd(database.url, side, planOf(migrations));
}

/**
 * Opens the database of a service, which must exist, to change it in its place while nobody uses it. What another
 * program has put there may be open to everybody.
 */
export async function openInPlace(database: Database): Promise<MoveEnd> {
  await requireDatabase(database);
  if (database.kind === 'sqlite') narrowFiles(database.file);
  return openMoveEnd(database, 'target');
}

/**
 * Opens the database of a service as the source of a backup, while servers use it. Closing it removes the copy that is
 * made of an SQLite file. Fails with OperatorError where that is impossible, and when the signal is aborted.
 */
export async function openBackupSource(database: Database, signal?: AbortSignal): Promise<MoveEnd> {
  await requireDatabase(database);
  if (database.kind === 'postgres') return openMoveEnd(database, 'source');
  const copy = await copySnapshot(database.file, signal);
  try {
    const end = openSqliteEnd(copy.file, 'source', MIGRATIONS, DERIVED);
    const close = () => end.close().finally(copy.remove);
    return { ...end, name: `SQLite database ${database.file}`, close };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/** Closes to other users of the machine what they must not read. */
export function narrowFiles(file: string, notice: Notice = toStderr): void {
  narrowData(file, [KEY_FILE, BACKUP_FOLDER], notice);
}

export function planOf(migrations: readonly Migration[]): SchemaPlan {
  return { migrations, trigramIndexes: TRIGRAM_INDEXES, objects: POSTGRES_OBJECTS };
}
