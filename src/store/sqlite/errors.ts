import { unavailable } from '../../domain/failure.ts';
import { UniqueViolation } from '../constraint.ts';

const CONSTRAINT_PRIMARY_KEY = 1555;
const CONSTRAINT_UNIQUE = 2067;
/** Primary result codes (https://sqlite.org/rescode.html) that pass when the machine recovers. */
const PASSING = new Set([
  5, // SQLITE_BUSY
  7, // SQLITE_NOMEM
  10, // SQLITE_IOERR
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
]);

/** Gives an SQLite error the meaning that both engines share; anything unknown stays as it is. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  if (error.errcode === CONSTRAINT_UNIQUE || error.errcode === CONSTRAINT_PRIMARY_KEY) {
    return new UniqueViolation(constraintName(error.message), error);
  }
  return PASSING.has(error.errcode & 0xff) ? unavailable(error) : error;
}

/** "UNIQUE constraint failed: users.email_key" -> "users_email_key" */
function constraintName(message: string): string {
  return message.replace(/^.*: /, '').replace('.', '_');
}
