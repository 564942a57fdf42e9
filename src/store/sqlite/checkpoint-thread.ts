import { fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { answerCalls, each } from '../../domain/answer-calls.ts';
import { isUnavailable } from '../../domain/failure.ts';
import { logLength, openForReading, openForWriting } from './connection.ts';
import { translateSqliteError } from './errors.ts';
import type { ThreadData } from './operations.ts';

/**
 * Copies the log into the database file ahead of the writer, whose own checkpoint then has little left to copy.
 *
 * This thread must never finish a checkpoint: the next write would begin a new log, and only the writer may let that
 * happen, because it gives each log its origin first (`beginLog`). So a step does one of two things. It marks the end
 * of the log by a read transaction, which no checkpoint passes. Or it copies up to an earlier mark, once the log has
 * grown beyond the mark.
 */

const { file } = workerData as Pick<ThreadData, 'file'>;
const database = openForWriting(file);
const marker = openForReading(file);
/**
 * Never closed, because closing would end all locks that this process has on the file
 * (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const descriptor = openSync(file, 'r');
/** Pages of the log when its end was marked. Undefined without a mark. */
let mark: number | undefined;

answerCalls({ run: each(step), close });

/** Returns whether the thread now holds a mark. */
function step(): boolean {
  if (mark === undefined) setMark();
  else if (logLength(database).log > mark) copy();
  return mark !== undefined;
}

function setMark(): void {
  marker.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  mark = logLength(database).log;
}

function copy(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    // The disk is full. The log keeps what was not copied, and the next step tries again.
    if (!isUnavailable(translateSqliteError(error))) throw error;
  } finally {
    // Before the sync, because a mark that is held while a slow disk syncs would keep the writer from ending its log.
    marker.exec('COMMIT');
    mark = undefined;
  }
  // SQLite syncs the file only when it finishes a checkpoint, and the sync is most of a checkpoint's time.
  fdatasyncSync(descriptor);
}

function close(): void {
  marker.close();
  database.close();
}
