import type { DatabaseSync } from 'node:sqlite';
import { type AppliedMigration, type Dialect, type Migration, migrate } from '../migration.ts';
import { openForWriting } from './connection.ts';

const DIALECT: Dialect = {
  engine: 'sqlite',
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  key: 'TEXT',
  tableOptions: ' STRICT',
};

/**
 * Brings the database file to this version's schema and returns the names of the steps applied.
 * BEGIN IMMEDIATE is the lock: of two processes that start at once, one migrates and the other waits.
 * Fails with MigrationError where the histories do not fit.
 */
export async function migrateSqlite(file: string, migrations: readonly Migration[]): Promise<string[]> {
  const database = openForWriting(file);
  try {
    database.exec('BEGIN IMMEDIATE');
    const applied = await migrate(target(database), migrations);
    database.exec('COMMIT');
    return applied;
  } finally {
    // Closing rolls back what was not committed.
    database.close();
  }
}

function target(database: DatabaseSync) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL) STRICT',
  );
  return {
    dialect: DIALECT,
    execute: async (statement: string) => database.exec(statement),
    applied: async () =>
      database
        .prepare('SELECT name, checksum FROM migrations ORDER BY name')
        .all()
        .map(({ name, checksum }): AppliedMigration => ({ name: String(name), checksum: String(checksum) })),
    record: async ({ name, checksum }: AppliedMigration) => {
      database.prepare('INSERT INTO migrations (name, checksum) VALUES (?, ?)').run(name, checksum);
    },
  };
}
