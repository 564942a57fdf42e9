import type { DatabaseSync } from 'node:sqlite';

/** Pages of the write-ahead log, one for each time that a page was written. */
export interface LogLength {
  readonly log: number;
  /** As far as checkpoints have copied the log into the database file. */
  readonly checkpointed: number;
}

/**
 * How long the log is; nothing is copied. Not to be asked inside a transaction. Preparing the statement
 * anew costs a microsecond, less than one percent of the smallest batch.
 */
export function logLength(database: DatabaseSync): LogLength {
  const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
  return { log: Number(log), checkpointed: Number(checkpointed) };
}
