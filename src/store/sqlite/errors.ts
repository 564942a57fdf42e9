import { storageFull, storageReadOnly, unavailable } from '../../domain/failure.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { UniqueViolation } from '../constraint.ts';

const CONSTRAINT_PRIMARY_KEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
/** SQLITE_BUSY: another connection holds the lock. */
const BUSY = 5;
/** Primary result codes (https://sqlite.org/rescode.html) that pass when the machine recovers. */
const PASSING = new Set([
  BUSY,
  7, // SQLITE_NOMEM
  10, // SQLITE_IOERR
  14, // SQLITE_CANTOPEN
]);
/** Extended result codes of a file that cannot grow. */
const NO_ROOM = new Set([
  13, // SQLITE_FULL
  778, // SQLITE_IOERR_WRITE, for a quota and for a limit on the size of files
  4874, // SQLITE_IOERR_SHMSIZE
]);
/**
 * Extended result codes of a file that takes no writes: another process has kept the lock for longer than we wait, or
 * the disk does not confirm a write.
 */
const NO_WRITES = new Set([
  BUSY,
  1034, // SQLITE_IOERR_FSYNC
]);
/** Primary result codes of a file that only the operator can repair. */
const DAMAGED = new Set([
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]);

/** Translates an error of SQLite into one that both engines share. An unknown error is returned as it is. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  if (error.errcode === CONSTRAINT_UNIQUE || error.errcode === CONSTRAINT_PRIMARY_KEY) {
    return new UniqueViolation(constraintName(error.message), error);
  }
  if (NO_ROOM.has(error.errcode)) return storageFull(error);
  if (NO_WRITES.has(error.errcode)) return storageReadOnly(error);
  const primary = error.errcode & 0xff;
  if (DAMAGED.has(primary)) return damaged(error);
  return PASSING.has(primary) ? unavailable(error) : error;
}

/** True where another connection holds the lock, for an error as SQLite gave it. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}

/** True for the error of a damaged file, as SQLite gave it or translated. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof OperatorError) return isDamage(error.cause);
  return 'errcode' in error && typeof error.errcode === 'number' && DAMAGED.has(error.errcode & 0xff);
}

function damaged(cause: Error): OperatorError {
  const message = `The database file is damaged (${cause.message}): stop the service and restore a backup, as docs/operations.md says.`;
  return new OperatorError(message, { cause });
}

/** "UNIQUE constraint failed: table.column" -> "table_column" */
function constraintName(message: string): string {
  return message.replace(/^.*: /, '').replace('.', '_');
}
