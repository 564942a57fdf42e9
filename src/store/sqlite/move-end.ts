import type { DatabaseSync } from 'node:sqlite';
import type { Migration } from '../migration.ts';
import type { MoveEnd, NumberedTable } from '../move-end.ts';
import type { Db } from '../tables.ts';
import { openForWriting } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { FileLock } from './lock.ts';
import { migrateSqlite } from './migrate.ts';

/** Opens a database file as one end of a move. A source must exist; a target is made. */
export function openSqliteEnd(file: string, migrations: readonly Migration[]): MoveEnd {
  return new SqliteEnd(file, migrations);
}

class SqliteEnd implements MoveEnd {
  readonly name: string;
  readonly engine = sqliteEngine;
  readonly db: Db;
  readonly #file: string;
  readonly #all: readonly Migration[];
  readonly #database: DatabaseSync;
  #lock: FileLock | undefined;

  constructor(file: string, migrations: readonly Migration[]) {
    this.name = `SQLite database ${file}`;
    this.#file = file;
    this.#all = migrations;
    this.#database = openForWriting(file);
    this.db = kyselyOn(this.#database);
  }

  async migrations(): Promise<string[]> {
    const known = this.#database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
      .get();
    if (!known) return [];
    return this.#database
      .prepare('SELECT name FROM migrations ORDER BY name')
      .all()
      .map(({ name }) => String(name));
  }

  async migrate(): Promise<void> {
    await migrateSqlite(this.#file, this.#all);
  }

  async lock(): Promise<boolean> {
    this.#lock ??= FileLock.alone(this.#file);
    return this.#lock !== undefined;
  }

  async transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = await work(this.db);
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async lastId(table: NumberedTable): Promise<number> {
    const row = this.#database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table);
    return Number(row?.seq ?? 0);
  }

  async setLastId(table: NumberedTable, id: number): Promise<void> {
    this.#database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
    this.#database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id);
  }

  async close(): Promise<void> {
    this.#database.close();
    this.#lock?.release();
  }
}
