import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** Tables whose ids are given by the database and never reused. */
export type NumberedTable = 'users' | 'content';

/**
 * One end of a move between databases, opened for it alone: no server may use it meanwhile.
 * `close` gives it free again.
 */
export interface MoveEnd {
  /** For sentences: "SQLite at /srv/data/stoa.db". */
  readonly name: string;
  readonly db: Db;
  readonly engine: Engine;
  /** Names of the migrations applied, oldest first; empty for a new database. */
  migrations(): Promise<string[]>;
  /** Brings an empty database to the schema of this version. */
  migrate(): Promise<void>;
  /** Keeps servers and other moves out until `close`; false when one is in. */
  lock(): Promise<boolean>;
  /** All of the work, or nothing of it, is on disk when this resolves or rejects. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** The highest id that the table ever gave. */
  lastId(table: NumberedTable): Promise<number>;
  setLastId(table: NumberedTable, id: number): Promise<void>;
  close(): Promise<void>;
}
