import { typed, typedStart } from '../domain/installation.ts';
import type { Migration, SchemaObject } from './migration.ts';
import type { Engine } from './operation.ts';
import type { Db } from './tables.ts';

/** A source is only read; a target is filled. */
export type Side = 'source' | 'target';

/** A move has a database alone. A backup shares it with servers and commands, and keeps moves out. */
export type Use = 'alone' | 'shared';

/**
 * The content of a database: nothing, tables of another program, or the schema of Stoa in an older version, this
 * version or a newer one.
 */
export type Schema = 'nothing' | 'foreign' | 'older' | 'current' | 'newer';

/** One end of a move between databases, or the source of a backup. */
export interface MoveEnd {
  /** Its name in a sentence: "SQLite database /srv/data/stoa.db". */
  readonly name: string;
  readonly db: Db;
  readonly engine: Engine;
  schema(): Promise<Schema>;
  /** The steps that a start of this version would apply, in order. Fails with MigrationError where it would refuse. */
  missing(): Promise<readonly Migration[]>;
  /** The parts of the schema that the database has. */
  objects(): Promise<SchemaObject[]>;
  /** Those that a fresh database of this version has. */
  freshObjects(): Promise<readonly SchemaObject[]>;
  /** What the data in a file of its own is like. `db` of a source reads it too once it was found `whole`. */
  derived(): Promise<'missing' | 'damaged' | 'whole'>;
  /** All tables of the database, by name, without those of the engine itself. */
  tables(): Promise<LiveTable[]>;
  /**
   * Makes the tables of this version in an empty database. Indexes that are quicker to make later wait for `finish`.
   */
  create(): Promise<void>;
  /**
   * Keeps moves out until `close`, and servers too if `alone`. False if one of those that it keeps out uses the
   * database now.
   */
  lock(use: Use): Promise<boolean>;
  /** After this call `db` reads one snapshot of the database. Only for a source. */
  freeze(): Promise<void>;
  /** When this resolves, all changes of the work are on disk; when it rejects, none are. */
  transaction<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  /** The highest id that a numbered table ever assigned, or 0. */
  lastId(table: string): Promise<number>;
  /** The next id of the table is higher than this one. */
  setLastId(table: string, id: number): Promise<void>;
  /** Makes what waits until a target is filled: statistics, and indexes that are quicker to make at the end. */
  finish(): Promise<void>;
  /**
   * Closes a target, and removes the files of the database where this target made them and has them alone. Returns
   * whether it did. Only SQLite has such files.
   */
  discard(): Promise<boolean>;
  close(): Promise<void>;
}

/** The content of the database, judged by the names of its applied migrations. */
export function schemaOf(
  applied: readonly string[],
  known: readonly Pick<Migration, 'name'>[],
  hasTables: boolean,
): Schema {
  if (applied.length === 0) return hasTables ? 'foreign' : 'nothing';
  const isPrefix = applied.every((name, index) => name === known[index]?.name);
  if (!isPrefix) return 'newer';
  return applied.length === known.length ? 'current' : 'older';
}

/**
 * What a database is that has not the schema of this version, and what to do. "The database of this name" is in front.
 */
export const CURES: Readonly<Record<Schema, string | undefined>> = {
  nothing: `is empty; start the service once (${typedStart()}).`,
  foreign: 'has tables of another program; give Stoa a database of its own.',
  older: `has the schema of an older version; run "${typed('backup')}" of the version that made it, and then "${typed('migrate')}" of this one.`,
  newer: 'is of another version of Stoa; use the version that made it, or a newer one.',
  current: undefined,
};

/**
 * A table as the database describes it, even if this version of Stoa does not know it. A full-text index of SQLite is a
 * table too. A view is not, because it has no rows.
 */
export interface LiveTable {
  readonly name: string;
  /** In the order of the table, without computed columns. */
  readonly columns: readonly LiveColumn[];
  /** The columns of the primary key, in its order; empty where there is none. */
  readonly key: readonly string[];
  /** True if the database assigns the ids of the table, and no id twice. */
  readonly isNumbered: boolean;
}

export interface LiveColumn {
  readonly name: string;
  /** "text" and "integer" mean the same on both engines. Other types have the name in their engine. */
  readonly type: string;
}
