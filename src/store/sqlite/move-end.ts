import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import type { LiveTable } from '../live-table.ts';
import type { DerivedSchema, Migration } from '../migration.ts';
import { type MoveEnd, type Schema, type Side, schemaOf } from '../move-end.ts';
import type { Db } from '../tables.ts';
import { openForReading, openForWriting } from './connection.ts';
import { attachDerived, prepareDerived } from './derived.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { liveTables } from './live-tables.ts';
import { FileLock } from './lock.ts';
import { requireOwnLog } from './log-origin.ts';
import { applyMigrations } from './migrate.ts';
import { inTransaction } from './transaction.ts';

/**
 * Opens a database file as one end of a move. A source must exist, and is not changed. A target is made where it
 * does not exist, and what is derived from it too. Fails with OperatorError where that cannot be.
 */
export function openSqliteEnd(
  file: string,
  side: Side,
  migrations: readonly Migration[],
  derived: DerivedSchema,
): MoveEnd {
  if (side === 'source' && !existsSync(file)) throw new OperatorError(`There is no database file ${file}.`);
  requireOwnLog(file);
  try {
    const database = side === 'source' ? openForReading(file) : openForWriting(file);
    return new SqliteEnd(file, database, migrations, side === 'target' ? derived : undefined);
  } catch (error) {
    throw unusable(file, error);
  }
}

class SqliteEnd implements MoveEnd {
  readonly name: string;
  readonly engine = sqliteEngine;
  readonly db: Db;
  readonly #file: string;
  readonly #known: readonly Migration[];
  readonly #database: DatabaseSync;
  /** Undefined for a source, and once it is attached. */
  #derived: DerivedSchema | undefined;
  #lock: FileLock | undefined;

  constructor(
    file: string,
    database: DatabaseSync,
    known: readonly Migration[],
    derived: DerivedSchema | undefined,
  ) {
    this.name = `SQLite database ${file}`;
    this.#file = file;
    this.#known = known;
    this.#database = database;
    this.#derived = derived;
    this.db = kyselyOn(database);
  }

  async schema(): Promise<Schema> {
    try {
      const tables = this.#names("SELECT name FROM sqlite_schema WHERE type = 'table'");
      const isOurs = tables.includes('migrations') && tables.includes('signing_keys');
      const applied = isOurs ? this.#names('SELECT name FROM migrations ORDER BY name') : [];
      return schemaOf(applied, this.#known, tables.length > 0);
    } catch (error) {
      throw unusable(this.#file, error);
    }
  }

  async tables(): Promise<LiveTable[]> {
    return liveTables(this.#database);
  }

  async create(): Promise<void> {
    await applyMigrations(this.#database, this.#known);
    this.#attachDerived();
  }

  async lock(): Promise<boolean> {
    try {
      this.#lock ??= FileLock.alone(this.#file);
    } catch (error) {
      throw unusable(this.#file, error);
    }
    // Not before: what is derived may be in use by others.
    if (this.#lock) this.#attachDerived();
    return this.#lock !== undefined;
  }

  #attachDerived(): void {
    if (!this.#derived) return;
    prepareDerived(this.#file, this.#derived);
    attachDerived(this.#database, this.#file);
    this.#derived = undefined;
  }

  async freeze(): Promise<void> {
    this.#database.exec('BEGIN');
  }

  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return inTransaction(this.#database, () => work(this.db));
  }

  async lastId(table: string): Promise<number> {
    const row = this.#database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
    return Number(row?.seq ?? 0);
  }

  async setLastId(table: string, id: number): Promise<void> {
    await this.transaction(async () => {
      this.#database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
      this.#database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id);
    });
  }

  async finish(): Promise<void> {
    this.#database.exec('PRAGMA optimize');
  }

  async close(): Promise<void> {
    this.#database.close();
    this.#lock?.release();
  }

  #names(query: string): string[] {
    return this.#database
      .prepare(query)
      .all()
      .map(({ name }) => String(name));
  }
}

function unusable(file: string, error: unknown): OperatorError {
  return new OperatorError(`The SQLite database ${file} cannot be used: ${reasonOf(error)}.`);
}
