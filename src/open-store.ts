import { type Notice, toStderr } from './domain/notice.ts';
import { OperatorError } from './domain/operator-error.ts';
import type { Peer } from './domain/peer.ts';
import { TABLES } from './features.ts';
import { type BeforeUpgrade, migrateStore } from './migrate-store.ts';
import { nameOf, narrowFiles, openMoveEnd, requireDatabase } from './open-database.ts';
import { DERIVED } from './schema/derived.ts';
import { MIGRATIONS } from './schema/index.ts';
import type { Database } from './settings/database-url.ts';
import { CURES } from './store/move-end.ts';
import { answerWorker } from './store/sqlite/answer-worker.ts';
import type { FileUser } from './store/sqlite/lock.ts';
import { loadOperations } from './store/sqlite/operations.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import { openWorkerStore } from './store/sqlite/worker-store.ts';
import type { Store } from './store/store.ts';

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
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
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

/** A database is made without asking. So where its volume is missing, the log of the start is all that says so. */
function tellOfSteps(applied: readonly string[], database: Database, notice: Notice): void {
  if (applied.length === MIGRATIONS.length) notice(`a new database was made at ${nameOf(database)}`);
  else if (applied.length > 0) notice(`the tables were changed for this version: ${applied.join(', ')}`);
}
