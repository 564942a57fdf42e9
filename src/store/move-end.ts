import type { LiveTable } from './live-table.ts';
import type { Migration } from './migration.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** A source is only read; a target is filled. */
export type Side = 'source' | 'target';

/**
 * What a database holds: nothing at all, tables of another program, or the schema of Stoa in an older version, in
 * this version or in a newer one.
 */
export type Schema = 'nothing' | 'foreign' | 'older' | 'current' | 'newer';

/**
 * One end of a move between databases. From `lock` to `close` the move has the database alone: no server and no
 * other move uses it.
 */
export interface MoveEnd {
  /** As it stands in a sentence: "SQLite database /srv/data/stoa.db". */
  readonly name: string;
  readonly db: Db;
  readonly engine: Engine;
  schema(): Promise<Schema>;
  /** All tables of the database, by name, without those that the engine keeps for itself. */
  tables(): Promise<LiveTable[]>;
  /**
   * Makes the tables of this version in an empty database. Indexes that are quicker to make later wait for
   * `finish`.
   */
  create(): Promise<void>;
  /** Keeps servers and other moves out until `close`. False when one of them uses the database now. */
  lock(): Promise<boolean>;
  /** From now on `db` reads one state of the database, whatever others change. Only for a source. */
  freeze(): Promise<void>;
  /** When this resolves, all changes of the work are on disk; when it rejects, none are. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** The highest id that a numbered table ever gave out; 0 for none. */
  lastId(table: string): Promise<number>;
  /** The next id of the table is higher than this one. */
  setLastId(table: string, id: number): Promise<void>;
  /** Makes what waits until a target is filled: indexes that are quicker to make at the end, and statistics. */
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
