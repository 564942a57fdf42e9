import { rmSync } from 'node:fs';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import { type DerivedSchema, type Migration, missingSteps } from '../migration.ts';
import { type MoveEnd, type Side, schemaOf } from '../move-end.ts';
import { realPathOf } from '../private-files.ts';
import type { Db } from '../tables.ts';
import { openForReading, openForWriting } from './connection.ts';
import { attachDerived, DERIVED_SUFFIXES, prepareDerived, stateOfDerived } from './derived.ts';
import { kyselyOn, sqliteEngine } from './dialect.ts';
import { liveTables } from './live-tables.ts';
import { FileLock } from './lock.ts';
import { requireOwnLog } from './log-origin.ts';
import { applyMigrations, DIALECT } from './migrate.ts';
import { freshSqliteObjects, sqliteObjects } from './objects.ts';
import { inTransaction } from './transaction.ts';
import { fileExists } from './unusable.ts';

/**
 * Opens a database file as one end of a move. A source must exist, and is not changed. A target and its derived file
 * are made if they do not exist. Fails with OperatorError if that is impossible.
 */
export function openSqliteEnd(
  file: string,
  side: Side,
  migrations: readonly Migration[],
  derived: DerivedSchema,
): MoveEnd {
  if (side === 'source' && !fileExists(file)) throw new OperatorError(`There is no database file ${file}.`);
  requireOwnLog(file);
  const usable = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw new OperatorError(`The SQLite database ${file} cannot be used: ${reasonOf(error)}.`);
    }
  };
  const isMadeHere = side === 'target' && !fileExists(file);
  const database = usable(() => (side === 'source' ? openForReading(file) : openForWriting(file)));
  const db = kyselyOn(database);
  let lock: FileLock | undefined;
  let isAlone = false;
  let isAttached = side === 'source';

  function attach(): void {
    if (isAttached) return;
    prepareDerived(file, derived);
    attachDerived(database, file);
    isAttached = true;
  }

  function names(query: string): string[] {
    return database
      .prepare(query)
      .all()
      .map(({ name }) => String(name));
  }

  function transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return inTransaction(database, () => work(db));
  }

  return {
    name: `SQLite database ${file}`,
    db,
    engine: sqliteEngine,
    transaction,
    tables: async () => liveTables(database),
    objects: async () => sqliteObjects(database),
    freshObjects: () => freshSqliteObjects(migrations),

    async derived() {
      const state = stateOfDerived(file, derived);
      if (state === 'whole' && side === 'source') attachDerived(database, file);
      return state;
    },

    schema: async () =>
      usable(() => {
        const tables = liveTables(database).map(({ name }) => name);
        const isOurs = tables.includes('migrations') && tables.includes('move_progress');
        const applied = isOurs ? names('SELECT name FROM migrations ORDER BY name') : [];
        return schemaOf(applied, migrations, tables.length > 0);
      }),

    async missing() {
      if (!names("SELECT name FROM sqlite_schema WHERE type = 'table'").includes('migrations'))
        return migrations;
      return missingSteps({ dialect: DIALECT, db }, migrations);
    },

    async create() {
      await applyMigrations(database, migrations);
      attach();
    },

    async lock(use) {
      lock ??= usable(() => (use === 'alone' ? FileLock.alone(file) : FileLock.shared(file)));
      isAlone = lock !== undefined && use === 'alone';
      // Not earlier, because others may use the derived file.
      if (lock) attach();
      return lock !== undefined;
    },

    async freeze() {
      database.exec('BEGIN');
    },

    async lastId(table) {
      const row = database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
      return Number(row?.seq ?? 0);
    },

    setLastId: (table, id) =>
      transaction(async () => {
        database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
        database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id);
      }),

    // No statistics: migrate.ts says why.
    async finish() {},

    async discard() {
      if (!isMadeHere || !isAlone) return false;
      if (database.isOpen) database.close();
      removeFiles(file);
      return true;
    },

    async close() {
      if (database.isOpen) database.close();
      lock?.release();
    },
  };
}

/**
 * The derived file first, which no other database may find. The file of the lock stays, because another process may
 * be about to take it.
 */
function removeFiles(file: string): void {
  const path = realPathOf(file);
  for (const suffix of [...DERIVED_SUFFIXES, '', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
