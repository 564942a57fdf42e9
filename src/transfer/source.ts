import type { LiveTable, MoveEnd } from '../store/move-end.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import { batchesOf, countOf, type Key, type Row } from './rows.ts';

/** Where the rows of a target come from: another database, or a backup. */
export interface Source {
  /** Its name in a sentence: "SQLite database /srv/data/stoa.db". */
  readonly name: string;
  count(table: LiveTable): Promise<number>;
  /**
   * The rows after a key, or all. One batch is in memory at a time. The tables of a backup can only be read once, in its
   * order.
   */
  batches(table: LiveTable, after?: Key): AsyncGenerator<Row[]>;
  /** Calls `onRows` with the number of rows that were read since the last call. */
  checksum(table: LiveTable, onRows: (rows: number) => void): Promise<Checksum>;
  /** The next id that the target assigns in the table is higher than this one. */
  lastId(table: LiveTable): Promise<number>;
}

/** A database as the source. It must be prepared (prepare.ts). */
export function databaseSource({ name, db, lastId }: MoveEnd): Source {
  return {
    name,
    count: (table) => countOf(db, table),
    batches: (table, after) => batchesOf(db, table, after),
    checksum: (table, onRows) => checksumOf(db, table, onRows),
    lastId: (table) => lastId(table.name),
  };
}
