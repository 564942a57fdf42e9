import { type ClientBase, DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';

/** Lends a connection for one use and takes it back; `error` is how the use failed, if it did. */
export interface Lender {
  acquire(): Promise<ClientBase>;
  release(client: ClientBase, error?: unknown): void;
}

/** What `pg` says without a code when the connection under a statement is gone. */
const CONNECTION_LOST =
  /^(Connection terminated|Client has encountered|Client was closed|Client is closed|Query read timeout|timeout exceeded|Cannot use a pool)/;

/** No server stands behind this connection any more, or it is of no use: it must not go back to the pool. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof Failure) return isConnectionLost(error.cause);
  if (error instanceof DatabaseError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  if (!(error instanceof Error)) return false;
  // A system call that failed: ECONNREFUSED, ECONNRESET, EPIPE, ENOTFOUND, ETIMEDOUT, ...
  return 'syscall' in error || error instanceof AggregateError || CONNECTION_LOST.test(error.message);
}
