import { DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';

/** Messages of `pg` without a code which mean that the connection of a statement is lost. */
const CONNECTION_LOST =
  /^(Connection terminated|Client has encountered|Client was closed|Client is closed|Query read timeout|timeout exceeded|Cannot use a pool)/;

/** True if the connection is lost or useless, so that it must not return to the pool. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof Failure) return isConnectionLost(error.cause);
  if (error instanceof DatabaseError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  if (!(error instanceof Error)) return false;
  // A system call that failed: ECONNREFUSED, ECONNRESET, EPIPE, ENOTFOUND, ETIMEDOUT, ...
  return 'syscall' in error || error instanceof AggregateError || CONNECTION_LOST.test(error.message);
}

/**
 * True if a prepared statement has other columns than when it was prepared, because a newer instance has changed its
 * table. It can be prepared anew. The code is that of all that a server does not support.
 */
export function isStale(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

/** True if the time limit for a query has passed, after which `pg` considers the server silent. */
export function isSilence(error: unknown): boolean {
  if (error instanceof Failure) return isSilence(error.cause);
  return error instanceof Error && error.message === 'Query read timeout';
}
