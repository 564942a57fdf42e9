import { fdatasyncSync, openSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { isUnavailable } from '../../domain/failure.ts';
import { openForReading, openForWriting } from './connection.ts';
import { translateSqliteError } from './errors.ts';
import type { CheckpointRequest, CheckpointStart } from './log-keeper.ts';
import { logLength } from './log-length.ts';

/**
 * Copies the log into the database file ahead of the writer, whose own checkpoint then finds little left.
 *
 * This thread must never finish a checkpoint: the next write would begin a new log, and only the writer may let that
 * happen, because it gives each log its origin first (`beginLog`). So a step does one of two things. It marks the end
 * of the log by a read transaction, beyond which no checkpoint goes. Or it copies up to an earlier mark, once the log
 * has grown beyond the mark.
 */

const { file, port } = workerData as CheckpointStart;
const database = openForWriting(file);
const marker = openForReading(file);
/**
 * Never closed: closing would end all locks that this process has on the file
 * (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const descriptor = openSync(file, 'r');
/** Pages that the log had when its end was marked; undefined without a mark. */
let mark: number | undefined;

port.on('message', (request: CheckpointRequest) => {
  if (request === 'close') return close();
  if (mark === undefined) setMark();
  else if (logLength(database).log > mark) copy();
  port.postMessage(mark !== undefined);
});

function setMark(): void {
  marker.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  mark = logLength(database).log;
}

function copy(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    // The disk is full: the log keeps what was not copied, and the next step tries again.
    if (!isUnavailable(translateSqliteError(error))) throw error;
  } finally {
    // Before the sync: a mark that is held while a slow disk syncs would keep the writer from ending its log.
    marker.exec('COMMIT');
    mark = undefined;
  }
  // SQLite syncs the file only when it finishes a checkpoint, and the sync is most of a checkpoint's time.
  fdatasyncSync(descriptor);
}

function close(): void {
  marker.close();
  database.close();
  port.close();
}
