import type { Database } from './config.ts';
import { MIGRATIONS } from './store/migrations/index.ts';
import { migratePostgres } from './store/postgres/migrate.ts';
import { openPostgresStore } from './store/postgres/store.ts';
import { migrateSqlite } from './store/sqlite/migrate.ts';
import { openSqliteStore } from './store/sqlite/store.ts';
import type { Notice, Store } from './store/store.ts';

const OPERATIONS_URL = new URL('./operations.ts', import.meta.url).href;

/** Opens the database of either kind, its schema brought up to date. */
export async function openStore(database: Database, notice: Notice = toStderr): Promise<Store> {
  await migrateStore(database, notice);
  return database.kind === 'sqlite'
    ? openSqliteStore({ file: database.file, operationsUrl: OPERATIONS_URL })
    : openPostgresStore({ url: database.url, size: database.poolSize }, notice);
}

/** Brings the schema up to date and returns the names of the steps applied. */
export async function migrateStore(database: Database, notice: Notice = toStderr): Promise<string[]> {
  return database.kind === 'sqlite'
    ? migrateSqlite(database.file, MIGRATIONS)
    : migratePostgres(database.url, MIGRATIONS, notice);
}

function toStderr(message: string): void {
  process.stderr.write(`Note: ${message}\n`);
}
