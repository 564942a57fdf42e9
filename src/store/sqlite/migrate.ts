import type { DatabaseSync } from 'node:sqlite';
import { type AppliedMigration, type Dialect, type Migration, migrate } from '../migration.ts';
import { openForWriting } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { translateSqliteError } from './errors.ts';
import { FileLock, type FileUser } from './lock.ts';
import { requireOwnLog } from './log-origin.ts';
import { inTransaction } from './transaction.ts';
import { unusableFile } from './unusable.ts';

const DIALECT: Dialect = {
  engine: 'sqlite',
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  key: 'TEXT',
  tableOptions: ' STRICT',
};

/**
 * Brings the database file to this version's schema and returns the names of the steps applied. Fails with
 * OperatorError where the file cannot be used, where its log belongs to another file, while a move (for a server, also
 * while another server) has the file, and where its steps are not those of this version.
 */
export async function migrateSqlite(
  file: string,
  migrations: readonly Migration[],
  user: FileUser,
): Promise<string[]> {
  try {
    return await migrateLocked(file, migrations, user);
  } catch (error) {
    throw unusableFile(file, translateSqliteError(error));
  }
}

async function migrateLocked(
  file: string,
  migrations: readonly Migration[],
  user: FileUser,
): Promise<string[]> {
  requireOwnLog(file);
  const lock = FileLock.of(file, user);
  try {
    const database = openForWriting(file);
    try {
      return await applyMigrations(database, migrations);
    } finally {
      // Closing rolls back what was not committed, and copies the log into the file. The log began with its origin
      // (`beginLog`), so after each start the file is in a state that no earlier copy of it has.
      database.close();
    }
  } finally {
    lock.release();
  }
}

/**
 * Applies the missing steps and returns their names. The transaction is the lock: of two processes that start at
 * once, one migrates and the other waits.
 *
 * A step may rebuild a table as SQLite asks for (https://sqlite.org/lang_altertable.html, 7): make the new one,
 * copy, drop the old one, rename. Meanwhile a reference to the table must neither delete rows nor follow the new
 * name. So foreign keys are off, and all of them are checked at the end.
 */
export async function applyMigrations(
  database: DatabaseSync,
  migrations: readonly Migration[],
): Promise<string[]> {
  database.exec('PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON');
  try {
    return await inTransaction(database, async () => {
      const applied = await migrate(target(database), migrations);
      // The check reads every table, so a start that applied nothing leaves it out.
      const [broken] = applied.length > 0 ? database.prepare('PRAGMA foreign_key_check').all() : [];
      if (broken)
        throw new Error(`A migration leaves rows of "${broken.table}" without the row they refer to.`);
      return applied;
    });
  } finally {
    database.exec('PRAGMA foreign_keys = ON; PRAGMA legacy_alter_table = OFF');
  }
}

function target(database: DatabaseSync) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL) STRICT',
  );
  return {
    dialect: DIALECT,
    db: kyselyOn(database),
    execute: async (statement: string) => database.exec(statement),
    applied: async () =>
      database
        .prepare('SELECT name, checksum FROM migrations ORDER BY name')
        .all()
        .map(({ name, checksum }): AppliedMigration => ({ name: String(name), checksum: String(checksum) })),
    isMoveUnfinished: async () => database.prepare('SELECT 1 FROM move_progress').get() !== undefined,
    record: async ({ name, checksum }: AppliedMigration) => {
      database.prepare('INSERT INTO migrations (name, checksum) VALUES (?, ?)').run(name, checksum);
    },
  };
}
