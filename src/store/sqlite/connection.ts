import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFileBeside } from '../private-files.ts';
import { isBusy } from './errors.ts';
import { sleep } from './sleep.ts';

/** Long enough for another process (`stoa admin`, a migration) to finish its transaction. */
export const BUSY_TIMEOUT_MS = 5_000;
const TRY_AGAIN_MS = 10;

/**
 * From this many pages of the write-ahead log (64 MB) on, a checkpoint copies the rest of the log into the database file,
 * so that the next write can begin a new log. A commit does that, and in a service the writer between commits
 * (log-keeper.ts). A long log costs less, because a checkpoint copies a page
 * once, even if many writes changed it, and waits for the disk twice. SQLite's default of 1,000 pages is reached by 200
 * creations.
 */
export const CHECKPOINT_PAGES = 16_384;

/** Kilobytes of pages that a writing connection caches: the index pages that busy writes share. */
const CACHE_KB = 16_384;

/**
 * Opens the database file for writing. Makes it if it does not exist (mode 0600, folder 0700). One that root makes
 * belongs to the owner of the folder. SQLite gives the -wal and -shm files the same mode and owner. With
 * `synchronous=FULL` every commit syncs the write-ahead log: acknowledged means on disk.
 */
export function openForWriting(file: string): DatabaseSync {
  makePrivateFileBeside(dirname(file), file);
  // SQLite would open a file without write permission as read-only, and fail at the first write.
  accessSync(file, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  useWriteAheadLog(database);
  database.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KB}`);
  return database;
}

/**
 * The first connection to a new file decides that it has a write-ahead log. SQLite lets another one that does so at the
 * same moment fail at once, and not wait as elsewhere.
 */
export function useWriteAheadLog(database: DatabaseSync): void {
  const began = performance.now();
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - began > BUSY_TIMEOUT_MS) throw error;
      sleep(TRY_AGAIN_MS);
    }
  }
}

/** Lengths of the write-ahead log in pages. A page that was written several times counts each time. */
interface LogLength {
  readonly log: number;
  /** How far checkpoints have copied the log into the database file. */
  readonly checkpointed: number;
}

/**
 * The length of the log. This checkpoint copies nothing, and must not be called inside a transaction. Preparing the
 * statement each time costs a microsecond, less than one percent of the smallest group of writes.
 */
export function logLength(database: DatabaseSync): LogLength {
  const { log, checkpointed } = database.prepare('PRAGMA main.wal_checkpoint(NOOP)').get() ?? {};
  return { log: Number(log), checkpointed: Number(checkpointed) };
}

/** Opens the existing database file read-only: no statement on this connection can change the file. */
export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32768');
  return database;
}
