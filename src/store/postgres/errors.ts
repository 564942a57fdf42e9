import { DatabaseError } from 'pg';
import { Failure, storageFull, storageReadOnly, unavailable } from '../../domain/failure.ts';
import { UniqueViolation } from '../constraint.ts';
import { isConnectionLost, isStale } from './pipeline/index.ts';

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) with a meaning here. */
const UNIQUE_VIOLATION = '23505';
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const QUERY_CANCELED = '57014';
const UNDEFINED_TABLE = '42P01';
const TRY_AGAIN = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);
/** Codes and classes (their first two characters) that pass when the database recovers. */
const PASSING_CLASSES = new Set([
  '08', // connection exceptions
  '53', // insufficient resources: out of memory, too many connections
  '57', // operator intervention: shutdown, start-up, a statement that took too long
  '58', // system errors: input and output
]);
const PASSING = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '55P03', // lock_not_available
]);

/** Translates an error of a statement into one that both engines share. An unknown error is returned as it is. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const { code = '', constraint = '' } = error;
    if (code === UNIQUE_VIOLATION) return new UniqueViolation(constraint, error);
    if (code === DISK_FULL) return storageFull(error);
    if (code === READ_ONLY) return storageReadOnly(error);
    const passes = PASSING.has(code) || PASSING_CLASSES.has(code.slice(0, 2));
    return passes ? unavailable(error) : error;
  }
  return isConnectionLost(error) ? unavailable(error) : error;
}

/** True if the session takes no writes. It may stay so after the cause is gone, so it must not return to the pool. */
export function isReadOnly(error: unknown): boolean {
  if (error instanceof Failure) return isReadOnly(error.cause);
  return error instanceof DatabaseError && error.code === READ_ONLY;
}

/** True after a deadlock, a conflict with another transaction, or a stale statement. A second run may then succeed. */
export function isTryAgain(error: unknown): boolean {
  if (isStale(error)) return true;
  return error instanceof DatabaseError && TRY_AGAIN.has(error.code ?? '');
}

/** True if the statement names a table that the database lacks. */
export function isTableMissing(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNDEFINED_TABLE;
}

/** True if the server ended a statement that took too long. */
export function wasCanceled(error: unknown): error is Failure {
  if (!(error instanceof Failure && error.cause instanceof DatabaseError)) return false;
  return error.cause.code === QUERY_CANCELED;
}
