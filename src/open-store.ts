import { existsSync } from 'node:fs';
import type { Database } from './config.ts';
import { OperatorError } from './domain/operator-error.ts';
import type { Migration } from './store/migration.ts';
import { MIGRATIONS } from './store/migrations/index.ts';
import type { MoveEnd } from './store/move-end.ts';
import { migrateSqlite } from './store/sqlite/migrate.ts';
import { openSqliteEnd } from './store/sqlite/move-end.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import type { Store } from './store/store.ts';

const OPERATIONS_URL = new URL('./operations.ts', import.meta.url).href;

export interface StoreOptions {
  /** The module whose `OPERATIONS` the threads of the store run; tests add theirs. */
  readonly operationsUrl?: string;
  /** Called when the store cannot work again in this process; whoever runs it does best to end. */
  readonly onLost?: (reason: Error) => void;
}

/** Opens the database of either kind, its schema brought up to date. */
export async function openStore(
  database: Database,
  { operationsUrl = OPERATIONS_URL, onLost }: StoreOptions = {},
): Promise<Store> {
  await migrateStore(database);
  if (database.kind === 'sqlite') return openSqliteStore({ file: database.file, operationsUrl, onLost });
  throw new Error('PostgreSQL is not there yet.');
}

/** Opens a database as one end of a move. */
export async function openMoveEnd(database: Database, side: 'source' | 'target'): Promise<MoveEnd> {
  if (database.kind === 'sqlite') {
    if (side === 'source' && !existsSync(database.file)) {
      throw new OperatorError(`There is no database file ${database.file}.`);
    }
    return openSqliteEnd(database.file, MIGRATIONS);
  }
  throw new Error('PostgreSQL is not there yet.');
}

/** Brings the schema up to date and returns the names of the steps applied. */
export async function migrateStore(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  if (database.kind === 'sqlite') return migrateSqlite(database.file, migrations);
  throw new Error('PostgreSQL is not there yet.');
}
