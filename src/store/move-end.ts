import type { LiveTable } from './live-table.ts';
import type { Migration } from './migration.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** A source is only read; a target is filled. */
export type Side = 'source' | 'target';

/**
 * What a database holds: nothing at all, tables of something else, or those of Stoa in an older, this,
 * or a newer version.
 */
export type Schema = 'nothing' | 'foreign' | 'older' | 'current' | 'newer';

/**
 * One end of a move between databases, opened for it alone: no server may use it meanwhile.
 * `close` gives it free again.
 */
export interface MoveEnd {
  /** For sentences: "SQLite database /srv/data/stoa.db". */
  readonly name: string;
  readonly db: Db;
  readonly engine: Engine;
  schema(): Promise<Schema>;
  /** All tables that it has, by name, but for those that the engine keeps for itself. */
  tables(): Promise<LiveTable[]>;
  /** Makes the tables of this version in a database that has nothing; a target may lack search indexes. */
  create(): Promise<void>;
  /** Keeps servers and other moves out until `close`; false when one is in. */
  lock(): Promise<boolean>;
  /** From now on `db` reads one state of the database, whatever anybody changes. Only for a source. */
  freeze(): Promise<void>;
  /** All of the work, or nothing of it, is on disk when this resolves or rejects. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** The highest id that a table which is numbered ever gave. */
  lastId(table: string): Promise<number>;
  setLastId(table: string, id: number): Promise<void>;
  /** Makes what a target puts off while it is filled: indexes that are quicker to make at the end, statistics. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** What the database holds, by the names of the migrations that it has applied. */
export function schemaOf(
  applied: readonly string[],
  known: readonly Migration[],
  hasTables: boolean,
): Schema {
  if (applied.length === 0) return hasTables ? 'foreign' : 'nothing';
  const isPrefix = applied.every((name, index) => name === known[index]?.name);
  if (!isPrefix) return 'newer';
  return applied.length === known.length ? 'current' : 'older';
}
