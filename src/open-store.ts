import { BACKUP_FOLDER, type Config } from './config.ts';
import { typedStart } from './domain/installation.ts';
import type { Notice } from './domain/notice.ts';
import { OperatorError } from './domain/operator-error.ts';
import type { Peer } from './domain/peer.ts';
import { TABLES } from './features.ts';
import { DERIVED } from './schema/derived.ts';
import { MIGRATIONS } from './schema/index.ts';
import { POSTGRES_OBJECTS } from './schema/postgres-objects.ts';
import { TRIGRAM_INDEXES } from './schema/trigram-indexes.ts';
import { KEY_FILE } from './services/sealing/key.ts';
import { nameOfFittingKey } from './services/sealing/key-name.ts';
import { keyOf, openSealing, type Sealing } from './services/sealing/sealing.ts';
import { CHECK, secretIn } from './services/sealing/secrets.ts';
import type { Database } from './settings/database-url.ts';
import type { Migration, SchemaPlan } from './store/migration.ts';
import { type PlannedStep, planOfMigration, planOfNewDatabase } from './store/migration-plan.ts';
import { CURES, type MoveEnd, type Side } from './store/move-end.ts';
import { placeOf } from './store/postgres/place.ts';
import { answerWorker } from './store/sqlite/answer-worker.ts';
import type { FileUser } from './store/sqlite/lock.ts';
import { migrateSqlite } from './store/sqlite/migrate.ts';
import { openSqliteEnd } from './store/sqlite/move-end.ts';
import { narrowData } from './store/sqlite/narrow-data.ts';
import { loadOperations } from './store/sqlite/operations.ts';
import { copySnapshot } from './store/sqlite/snapshot.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import { fileExists } from './store/sqlite/unusable.ts';
import { openWorkerStore } from './store/sqlite/worker-store.ts';
import type { Store } from './store/store.ts';
import type { Db } from './store/tables.ts';

const OPERATIONS_URL = new URL('./operations.ts', import.meta.url).href;

export interface StoreOptions {
  /** A command by default. An embedded database has one server at most. Commands may use it at the same time. */
  readonly user?: FileUser;
  /** Receives what the operator should know and no answer to a request can say. */
  readonly notice?: Notice;
  /** The module whose `OPERATIONS` the threads of the store run; tests add theirs. */
  readonly operationsUrl?: string;
  /** Called when the store cannot work again in this process, which should then end. */
  readonly onLost?: (reason: Error) => void;
  /** Called before the tables of an earlier version are changed. Where it fails, nothing is changed. */
  readonly beforeUpgrade?: ((db: Db) => Promise<void>) | undefined;
  /** How many times as long as usual a request waits for the database; for tests, which run on busy machines. */
  readonly patience?: number;
}

// Loaded on first use, so that an embedded installation starts without PostgreSQL's driver.

/** Opens the database of either kind, its schema brought up to date. */
export async function openStore(
  database: Database,
  {
    user = 'command',
    operationsUrl = OPERATIONS_URL,
    onLost,
    notice = toStderr,
    beforeUpgrade,
    patience,
  }: StoreOptions = {},
): Promise<Store> {
  const applied = await migrateStore(database, MIGRATIONS, notice, user, beforeUpgrade);
  if (user === 'server') tellOfSteps(applied, database, notice);
  if (database.kind === 'sqlite') {
    narrowFiles(database.file, notice);
    return openSqliteStore({ file: database.file, derived: DERIVED, user, operationsUrl, onLost, patience });
  }
  return openPostgres(database, notice, patience);
}

/**
 * Opens the database in a worker process. The primary has brought its schema up to date, and on SQLite it has the
 * writer.
 */
export async function openStoreOfWorker(
  database: Database,
  primary: Peer,
  { operationsUrl = OPERATIONS_URL, onLost, notice = toStderr }: StoreOptions = {},
): Promise<Store> {
  if (database.kind === 'postgres') return openPostgres(database, notice);
  return openWorkerStore({ file: database.file, operationsUrl, primary, onLost });
}

/** The side of the primary, on SQLite: returns what gives a worker its writer (`openStoreOfWorker`). */
export async function writerForWorkers(store: Store): Promise<(worker: Peer) => void> {
  const operations = await loadOperations(OPERATIONS_URL);
  return (worker) => answerWorker(worker, store, operations);
}

async function openPostgres(
  { url, poolerUrl, poolSize: size }: Extract<Database, { kind: 'postgres' }>,
  notice: Notice,
  patience?: number,
): Promise<Store> {
  const { openPostgresStore } = await import('./store/postgres/store.ts');
  return openPostgresStore({ url, poolerUrl, size, patience, countedTables: TABLES.counted }, notice);
}

/**
 * Opens the database of a service for a command. Makes none and changes no tables: without a database, or with one of
 * an older version, fails with OperatorError.
 */
export async function openExistingStore(database: Database): Promise<Store> {
  await requireDatabase(database);
  await refuseOlder(database);
  return openStore(database);
}

/** A command is no upgrade: older instances may still run, and perhaps there is no backup yet. */
async function refuseOlder(database: Database): Promise<void> {
  const end = await openMoveEnd(database, 'source');
  try {
    if ((await end.schema()) === 'older')
      throw new OperatorError(`The database ${nameOf(database)} ${CURES.older}`);
  } finally {
    await end.close();
  }
}

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

/** The name of the sealing key that the settings give, if it opens the check of a database. Null if it does not. */
export function fittingKeyName(
  { sealingKey: given, sealingKeyFile: file }: Pick<Config, 'sealingKey' | 'sealingKeyFile'>,
  check: string,
): string | null {
  return nameOfFittingKey({ given, file, notice: toStderr }, check);
}

/**
 * The sealing key of a service and its database (services/sealing). A service makes a key where nothing is sealed yet;
 * a command (`isCommand`) does not. Fails with OperatorError where the key is missing or does not fit.
 */
export function openSealingOf(
  config: Pick<Config, 'database' | 'sealingKey' | 'sealingKeyFile'>,
  store: Store,
  { isCommand = false, notice = toStderr }: { readonly isCommand?: boolean; readonly notice?: Notice } = {},
): Promise<Sealing> {
  const { database, sealingKey: given, sealingKeyFile: file } = config;
  const name = nameOf(database);
  return openSealing(store, { given, file, name, columns: TABLES.sealed, mayMake: !isCommand, notice });
}

/**
 * Fails with OperatorError where the sealing key of the settings is missing or does not fit the database: the start of
 * a new version would fail after it changed the tables, and the version before could not start any more.
 */
export function requireKey(
  config: Pick<Config, 'database' | 'sealingKey' | 'sealingKeyFile'>,
  notice: Notice,
): (db: Db) => Promise<void> {
  const { database, sealingKey: given, sealingKeyFile: file } = config;
  return async (db) => {
    const check = await secretIn(db, CHECK);
    if (check !== null) keyOf({ given, file, name: nameOf(database), notice }, check);
  };
}

/** Brings the schema up to date and returns the names of the steps applied. */
export async function migrateStore(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  notice: Notice = toStderr,
  user: FileUser = 'command',
  beforeUpgrade?: StoreOptions['beforeUpgrade'],
): Promise<string[]> {
  if (database.kind === 'sqlite')
    return migrateSqlite(database.file, migrations, user, notice, beforeUpgrade);
  const { migratePostgres } = await import('./store/postgres/migrate.ts');
  return migratePostgres(database.url, planOf(migrations), notice, beforeUpgrade);
}

/**
 * What a start would do to the schema, and what that blocks. Changes nothing, and fails where the start would refuse.
 */
export async function planMigration(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<PlannedStep[]> {
  if (database.kind === 'sqlite' && !fileExists(database.file))
    return planOfNewDatabase('sqlite', migrations);
  const end = await openMoveEnd(database, 'source', migrations);
  try {
    return await planOfMigration(end);
  } finally {
    await end.close();
  }
}

/** A database is made without asking. So where its volume is missing, the log of the start is all that says so. */
function tellOfSteps(applied: readonly string[], database: Database, notice: Notice): void {
  if (applied.length === MIGRATIONS.length) notice(`a new database was made at ${nameOf(database)}`);
  else if (applied.length > 0) notice(`the tables were changed for this version: ${applied.join(', ')}`);
}

function narrowFiles(file: string, notice: Notice = toStderr): void {
  narrowData(file, [KEY_FILE, BACKUP_FOLDER], notice);
}

function planOf(migrations: readonly Migration[]): SchemaPlan {
  return { migrations, trigramIndexes: TRIGRAM_INDEXES, objects: POSTGRES_OBJECTS };
}

/** The notices of a command. */
export function toStderr(message: string): void {
  process.stderr.write(`Note: ${message}\n`);
}
