import type { ClientBase } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { USE_LOCK } from './connect.ts';
import { placeOf } from './place.ts';

/** PgBouncer refuses the time limits of the pool in these words. */
const NO_PARAMETERS = /unsupported startup parameter/;

/**
 * Fails with OperatorError where a connection is no session of its own, as behind a pooler in transaction mode, or where
 * advisory locks exclude nobody, as on some servers that look like PostgreSQL. Instances would then not hear of each other,
 * and a move could begin under them. `client` holds the shared lock of all users (`useShared`).
 */
export async function requireSessions(client: ClientBase, other: ClientBase, url: string): Promise<void> {
  const own = await processOf(client);
  // A pooler gives each transaction the process that is free for longest, or else the one that became free last.
  const isMoved = (await processOf(client)) !== own;
  await other.query('BEGIN');
  try {
    if (isMoved || (await processOf(other)) === own) throw behindPooler(url);
    const { rows } = await other.query(`SELECT pg_try_advisory_xact_lock(${USE_LOCK}) AS locked`);
    if (rows[0]?.locked === true)
      throw new OperatorError(
        `The database ${placeOf(url)} cannot be used: its advisory locks exclude nobody, so two instances could change its tables at once; use PostgreSQL itself.`,
      );
  } finally {
    await other.query('ROLLBACK');
  }
}

/** The error where the server refuses what a pooler refuses; any other as it is. */
export function pooled(error: unknown, url: string): unknown {
  return error instanceof Error && NO_PARAMETERS.test(error.message) ? behindPooler(url) : error;
}

function behindPooler(url: string): OperatorError {
  return new OperatorError(
    `The database ${placeOf(url)} is behind a pooler in transaction mode, through which instances do not hear of each other; give DATABASE_URL the address of the server itself, or let the pooler work in session mode.`,
  );
}

async function processOf(client: ClientBase): Promise<unknown> {
  return (await client.query('SELECT pg_backend_pid() AS process')).rows[0]?.process;
}
