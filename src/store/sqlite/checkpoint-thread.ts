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
 * It must never finish a checkpoint. The next write would begin a new log, and this has to happen where
 * the writer looks for it (`beginLog`). So a step either marks the log's end, by a read transaction that no
 * checkpoint goes beyond, or copies up to an earlier mark that the log has outgrown.
 */

const { file, port } = workerData as CheckpointStart;
const database = openForWriting(file);
const marker = openForReading(file);
/** Never closed: that would end all locks that this process has on the file (https://sqlite.org/howtocorrupt.html, 2.2). */
const descriptor = openSync(file, 'r');
/** Pages of the log when its end was marked. */
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
    // SQLite waits for the disk only where it finishes a checkpoint, and the disk is most of its time.
    fdatasyncSync(descriptor);
  } catch (error) {
    // The disk is full: the log has all that was not copied, and the next step tries again.
    if (!isUnavailable(translateSqliteError(error))) throw error;
  } finally {
    marker.exec('COMMIT');
    mark = undefined;
  }
}

function close(): void {
  marker.close();
  database.close();
  port.close();
}
