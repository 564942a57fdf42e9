import { accessSync, constants } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from '../private-files.ts';

/** Long enough for another process (`stoa admin`, a migration) to finish its transaction. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Pages in the write-ahead log before a commit puts the rest of them into the database file, so that the
 * next write can begin a new log: 64 MB. A page that many writes changed is copied once, and each time
 * costs two waits for the disk; SQLite's own 1,000 pages are reached by 200 creations.
 */
export const CHECKPOINT_PAGES = 16_384;

/** Kilobytes of pages that the writer keeps: what the items of a busy moment have in common. */
const CACHE_KB = 16_384;

/**
 * Opens the database file for writing, making it (mode 0600, folder 0700) where it does not exist;
 * SQLite gives its -wal and -shm files the same mode.
 * `synchronous=FULL` makes every commit an fsync of the write-ahead log: acknowledged means on disk.
 */
export function openForWriting(file: string): DatabaseSync {
  makePrivateFile(file);
  // SQLite opens what it may not write for reading alone, and fails at the first write.
  accessSync(file, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KB}`);
  return database;
}

/** Opens the existing database file for reading alone: nothing that runs here can change it. */
export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  database.exec('PRAGMA query_only = ON; PRAGMA cache_size = -32768');
  return database;
}
