import { createHash, randomInt } from 'node:crypto';
import { existsSync, readSync, realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../domain/operator-error.ts';
import { firstPageAlone, firstPagesIn, openIfThere, readLogStart } from './log-file.ts';
import { logLength } from './log-length.ts';

/**
 * Records which state of the database file a write-ahead log belongs to (decisions 0028). SQLite does not check:
 * where the file is in another state, such as an older copy that was put back after a crash, SQLite mixes the two.
 *
 * Each log begins with a transaction of ours that changes page 1 alone. `user_version` becomes the digest of the
 * state that the log continues. `application_id` becomes a random number, so that no two logs leave the file in the
 * same state.
 */

/** The values that tell one state of the file from another: pragmas, and where page 1 has them. */
const STATE = {
  page_count: 28,
  freelist_count: 36,
  schema_version: 40,
  user_version: 60,
  application_id: 68,
} as const;
const STATE_END = 72;

/**
 * Called before each transaction that writes. Where that would begin a new log, this begins the log with its
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
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/**
 * Fails with OperatorError where the log beside the file belongs to another state than the file is in. Called
 * before SQLite opens the file. Changes nothing, and may be called while a service uses the file.
 */
export function requireOwnLog(file: string): void {
  const path = existsSync(file) ? realpathSync(file) : file;
  const log = `${path}-wal`;
  for (;;) {
    const start = readLogStart(log);
    const page = firstPageAlone(start);
    // There is no log, a crash cut off its first frame, or another program began it: such a log is not judged.
    if (!page) return;
    const state = stateOfFile(path);
    if (digest(state) === page.readInt32BE(STATE.user_version)) return;
    // A checkpoint, finished or interrupted, has put one of the log's versions of page 1 into the file.
    if (firstPagesIn(log, STATE_END).some((each) => stateIn(each) === state)) return;
    // A running service may have begun a new log meanwhile: then this looks again.
    if (start.equals(readLogStart(log))) throw foreignLog(path);
  }
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

/**
 * The state of the file without its log; '' for a file that is missing or too short, which no log belongs to. The
 * descriptor stays open: closing it would end all locks that this process has on the file, those of SQLite too
 * (https://sqlite.org/howtocorrupt.html, 2.2).
 */
function stateOfFile(path: string): string {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return '';
  const page = Buffer.alloc(STATE_END);
  return readSync(descriptor, page, 0, STATE_END, 0) === STATE_END ? stateIn(page) : '';
}

function digest(state: string): number {
  return createHash('sha256').update(state).digest().readInt32BE(0);
}

function foreignLog(file: string): OperatorError {
  return new OperatorError(
    `The log ${file}-wal does not belong to the database file ${file}, most likely because an older copy was put back beside the log that a crash left. If you restore a backup, remove ${file}-wal and ${file}-shm and start again; if not, put back the file that the log belongs to. Nothing was changed.`,
  );
}
