import type { DatabaseSync } from 'node:sqlite';
import { typed } from '../../domain/installation.ts';
import type { Notice } from '../../domain/notice.ts';
import { type Dialect, type Migration, migrate } from '../migration.ts';
import { realPathOf } from '../private-files.ts';
import type { Db } from '../tables.ts';
import { openForWriting } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { translateSqliteError } from './errors.ts';
import { keepCopy, removeOtherCopies } from './kept-copy.ts';
import { FileLock, type FileUser } from './lock.ts';
import { requireOwnLog } from './log-origin.ts';
import { inTransaction } from './transaction.ts';
import { unusableFile } from './unusable.ts';

export const DIALECT: Dialect = {
  engine: 'sqlite',
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  integer: 'INTEGER',
  key: 'TEXT',
  tableOptions: ' STRICT',
};

/**
 * Statistics of a nearly empty database stay until a much later ANALYZE, and say that to read a whole table is quickest.
 * The plans that the tests guard are those without statistics. So each start drops those that an earlier version or
 * another program made. This connection goes on with those it has read, the others read the schema again.
 */
const DROP_STATISTICS = 'DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4';

/**
 * Migrates the database file to this version's schema and returns the names of the steps applied. Fails with
 * OperatorError if the file cannot be used, if its log belongs to another file, during a move (for a server, also while
 * another server uses the file), and if its steps are not those of this version. A database that has rows is copied
 * before (kept-copy.ts), and the copy of the migration before that is removed afterwards.
 */
export async function migrateSqlite(
  file: string,
  migrations: readonly Migration[],
  user: FileUser,
  notice: Notice,
  beforeUpgrade?: (db: Db) => Promise<void>,
): Promise<string[]> {
  try {
    requireOwnLog(file);
    using _lock = FileLock.of(file, user);
    // Closing rolls back what was not committed, and copies the log into the file. The log began with its origin
    // (`beginLog`), so after each start the file is in a state that no earlier copy has.
    using database = openForWriting(file);
    let kept: string | undefined;
    const applied = await applyMigrations(database, migrations, async (step) => {
      await beforeUpgrade?.(kyselyOn(database));
      kept = await keepCopy(file, step);
      const path = realPathOf(file);
      notice(
        `the database was copied to ${kept} before its tables are changed; to go back, stop the service, remove ${path}-wal, ${path}-shm and ${path}-derived*, put the copy in the place of ${path}, run "${typed('mark-restored')}" of the version before, if it has that command, and start that version`,
      );
    });
    if (kept !== undefined)
      removeOtherCopies(
        file,
        kept,
        migrations.map(({ name }) => name),
      );
    return applied;
  } catch (error) {
    throw unusableFile(file, translateSqliteError(error));
  }
}

/**
 * Applies the missing steps and returns their names. The transaction is the lock: of two processes that start at once,
 * one migrates and the other waits.
 *
 * A step may rebuild a table as SQLite asks for (https://sqlite.org/lang_altertable.html, 7): make the new one, copy,
 * drop the old one, rename. Meanwhile a reference to the table must neither delete rows nor follow the new name. So
 * foreign keys are off, and all of them are checked at the end.
 */
export async function applyMigrations(
  database: DatabaseSync,
  migrations: readonly Migration[],
  beforeSteps?: (step: string) => Promise<void>,
): Promise<string[]> {
  database.exec('PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON');
  try {
    return await inTransaction(database, async () => {
      const execute = async (statement: string) => database.exec(statement);
      const applied = await migrate(
        { dialect: DIALECT, db: kyselyOn(database), execute, ...(beforeSteps && { beforeSteps }) },
        migrations,
      );
      database.exec(DROP_STATISTICS);
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
