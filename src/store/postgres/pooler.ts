import { setTimeout as pause } from 'node:timers/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { connect, explained } from './connect.ts';
import { placeOf } from './place.ts';

/** A pooler may give a client the same connection several times by chance. It does not do so every time. */
const ROUNDS = 8;
/** As long as a start waits for a lock to be tried (connect.ts). */
const SILENT_MS = 45_000;
/** A pooler with a single connection does not answer `one` before `other` gives it back. */
const SINGLE_MS = 100;
/** A statement that was not prepared on this connection, or was prepared on it for another client. */
const UNPREPARED = /^(26000|42P05)$/;

/**
 * Fails with OperatorError where requests cannot go through this pooler in transaction mode: where it does not lead to
 * the database of `session`, or forgets prepared statements. `session` is a connection without a lock of a random key.
 */
export async function requirePooler(session: ClientBase, url: string): Promise<void> {
  try {
    await withClient(url, (one) =>
      withClient(url, async (other) => {
        await requireSameDatabase(session, one, url);
        await requirePrepared(one, other, url);
      }),
    );
  } catch (error) {
    throw explained(error, url);
  }
}

async function withClient(url: string, work: (client: ClientBase) => Promise<void>): Promise<void> {
  const client = await connect(url);
  await work(client).finally(() => client.end().catch(() => {}));
}

/** Advisory locks exclude each other in one database only. */
async function requireSameDatabase(session: ClientBase, one: ClientBase, url: string): Promise<void> {
  const key = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  await session.query(`SELECT pg_advisory_lock(${key})`);
  const { rows } = await one.query(`SELECT pg_try_advisory_xact_lock(${key}) AS got`);
  await session.query(`SELECT pg_advisory_unlock(${key})`);
  if (rows[0]?.got !== false)
    throw new OperatorError(
      `DATABASE_URL (${placeOf(url)}) and DATABASE_DIRECT_URL lead to two databases; give them two addresses of the same one.`,
    );
}

/** While `other` has a connection, `one` gets another. After that, `other` may get one that `one` had. */
async function requirePrepared(one: ClientBase, other: ClientBase, url: string): Promise<void> {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const named = { text: 'SELECT 1', name: `stoa_check_${round}`, query_timeout: SILENT_MS };
      await one.query(named);
      await other.query('BEGIN');
      const again = one.query(named);
      again.catch(() => {});
      await Promise.race([again, pause(SINGLE_MS)]);
      await other.query('COMMIT');
      await again;
      await other.query(named);
    }
  } catch (error) {
    if (!(error instanceof DatabaseError && UNPREPARED.test(error.code ?? ''))) throw error;
    throw new OperatorError(
      `The pooler ${placeOf(url)} forgets prepared statements; set max_prepared_statements of PgBouncer 1.21 or newer to 500, or give DATABASE_URL the address of the server itself.`,
    );
  }
}
