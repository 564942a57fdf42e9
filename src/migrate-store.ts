import { type Notice, toStderr } from './domain/notice.ts';
import { openMoveEnd, planOf } from './open-database.ts';
import { MIGRATIONS } from './schema/index.ts';
import type { Database } from './settings/database-url.ts';
import type { Migration } from './store/migration.ts';
import { type PlannedStep, planOfMigration, planOfNewDatabase } from './store/migration-plan.ts';
import type { FileUser } from './store/sqlite/lock.ts';
import { migrateSqlite } from './store/sqlite/migrate.ts';
import { fileExists } from './store/sqlite/unusable.ts';
import type { Db } from './store/tables.ts';

/** Called before the tables of an earlier version are changed. Where it fails, nothing is changed. */
export type BeforeUpgrade = (db: Db) => Promise<void>;

/** Brings the schema up to date and returns the names of the steps applied. */
export async function migrateStore(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
  notice: Notice = toStderr,
  user: FileUser = 'command',
  beforeUpgrade?: BeforeUpgrade,
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
