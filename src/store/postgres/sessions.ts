import type { ClientBase } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { placeOf } from './place.ts';

/** A pooler gives different connections, or the same one, also by chance. It does not do so every time. */
export const ROUNDS = 8;
/** As long as a start or a command waits for a lock to be tried (connect.ts). */
export const SILENT_MS = 45_000;

/**
 * Fails with OperatorError where a connection is no session of its own, as behind a pooler in transaction mode, or where
 * advisory locks exclude nobody, as on some servers that look like PostgreSQL. Instances would then not hear of each other,
 * and two could change the tables at once. Both connections are new. Behind a pooler nothing is set or locked, because that
 * would stay on connections that others get.
 */
export async function requireSessions(client: ClientBase, other: ClientBase, url: string): Promise<void> {
  if (!(await areSessions(client, other)))
    throw new OperatorError(
      `The database ${placeOf(url)} is behind a pooler in transaction mode, through which instances do not hear of each other; give DATABASE_DIRECT_URL the address of the server itself, or of a pooler in session mode. DATABASE_URL may stay.`,
    );
  if (!(await doLocksExclude(client, other)))
    throw new OperatorError(
      `The database ${placeOf(url)} cannot be used: its advisory locks exclude nobody, so two instances could change its tables at once; use PostgreSQL itself.`,
    );
}

/** A pooler gives each transaction the process that is free for longest, or else the one that became free last. */
async function areSessions(client: ClientBase, other: ClientBase): Promise<boolean> {
  const own = await processOf(client);
  for (let round = 0; round < ROUNDS; round++)
    if ((await processOf(other)) === own || (await processOf(client)) !== own) return false;
  return true;
}

/**
 * True if a lock of the session `other` excludes `client`, as in one database only. Uses a random lock, so that instances
 * that start at once do not meet. The lock ends with the connection `other`.
 */
export async function doLocksExclude(client: ClientBase, other: ClientBase): Promise<boolean> {
  const key = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  await ask(other, `SELECT pg_advisory_lock(${key}) AS answer`);
  return (await ask(client, `SELECT pg_try_advisory_xact_lock(${key}) AS answer`)) === false;
}

function processOf(client: ClientBase): Promise<unknown> {
  return ask(client, 'SELECT pg_backend_pid() AS answer');
}

async function ask(client: ClientBase, text: string): Promise<unknown> {
  const statement = { text, query_timeout: SILENT_MS };
  const { rows } = await client.query(statement);
  return rows[0]?.answer;
}
