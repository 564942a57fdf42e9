import { hash, randomInt } from 'node:crypto';
import { readSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { typed } from '../../domain/installation.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { realPathOf } from '../private-files.ts';
import { logLength } from './connection.ts';
import { firstPageAlone, firstPagesIn, openIfThere, readLogStart } from './log-file.ts';
import { rollBack } from './roll-back.ts';
import { sleep } from './sleep.ts';

/**
 * Records to which state of the database file a write-ahead log belongs (docs/decisions/store.md). SQLite does not
 * check this. If the file is in another state, such as an older copy that was put back after a crash, SQLite mixes the
 * two.
 *
 * Each log begins with a transaction of ours that changes only page 1. `user_version` becomes the digest of the state
 * that the log continues. `application_id` becomes a random number, so that no two logs leave the file in the same
 * state.
 */

/** The values that identify a state of the file: pragmas, and their places in page 1. */
const STATE = {
  page_count: 28,
  freelist_count: 36,
  schema_version: 40,
  user_version: 60,
  application_id: 68,
} as const;
const STATE_END = 72;

/**
 * Called before each transaction that writes. If the transaction would begin a new log, this begins the log with its
 * origin.
 */
export function beginLog(database: DatabaseSync): void {
  const { log, checkpointed } = logLength(database);
  // A part of the log is not in the file yet, so the next write appends to this log.
  if (log !== checkpointed) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const origin = digest(stateOf(database));
    database.exec(`PRAGMA user_version = ${origin}; PRAGMA application_id = ${randomInt(2 ** 31)}; COMMIT`);
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A log is refused only if it looked foreign, and the same, this many times with this pause in between. */
const LOOKS = 6;
const LOOK_MS = 20;

/**
 * Fails with OperatorError if the log belongs to another state of the file. Called before SQLite opens the file. It
 * changes nothing, and may be called while a service uses the file.
 */
export function requireOwnLog(file: string): void {
  const path = realPathOf(file);
  const log = `${path}-wal`;
  let last: Buffer | undefined;
  for (let looks = 0; looks < LOOKS; ) {
    const start = readLogStart(log);
    const page = firstPageAlone(start);
    // There is no log, a crash cut off its first frame, or another program began it. Such a log is not judged.
    if (!page) return;
    const state = stateOfFile(path);
    if (digest(state) === page.readInt32BE(STATE.user_version)) return;
    // A checkpoint, finished or interrupted, has put one of the log's versions of page 1 into the file.
    if (firstPagesIn(log, STATE_END).some((each) => stateIn(each) === state)) return;
    // A running service may have begun a new log meanwhile, or be between the two writes that begin one.
    looks = last?.equals(start) ? looks + 1 : 1;
    last = start;
    sleep(LOOK_MS);
  }
  throw new OperatorError(
    `The log ${path}-wal does not belong to the database file ${path}, most likely because an older copy was put back next to the log of a crash. If you restore a backup, remove ${path}-wal, ${path}-shm and ${path}-derived*, run "${typed('mark-restored')}" and start again; if not, put back the file that the log belongs to. Nothing was changed.`,
  );
}

function stateOf(database: DatabaseSync): string {
  const read = (pragma: string) => Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  return Object.keys(STATE).map(read).join();
}

function stateIn(page: Buffer): string {
  return Object.values(STATE)
    .map((place) => page.readInt32BE(place))
    .join();
}

/** The state of the file without its log. Empty for a missing or too short file, to which no log belongs. */
function stateOfFile(path: string): string {
  const descriptor = openForGood(path);
  if (descriptor === undefined) return '';
  const page = Buffer.alloc(STATE_END);
  return readSync(descriptor, page, 0, STATE_END, 0) === STATE_END ? stateIn(page) : '';
}

/** Descriptors by device and inode, at most one for each file. */
const opened = new Map<string, number>();

/**
 * Opens a file and never closes it, because closing it would end all locks that this process has on the file, those of
 * SQLite too (https://sqlite.org/howtocorrupt.html, 2.2). Undefined without a file.
 */
function openForGood(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const file = `${stats.dev}:${stats.ino}`;
  const descriptor = opened.get(file) ?? openIfThere(path);
  if (descriptor !== undefined) opened.set(file, descriptor);
  return descriptor;
}

function digest(state: string): number {
  return hash('sha256', state, 'buffer').readInt32BE(0);
}
