import { setTimeout as pause } from 'node:timers/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { explained, onConnection } from './connect.ts';
import { placeOf } from './place.ts';
import { doLocksExclude, ROUNDS, SILENT_MS } from './sessions.ts';

/** A pooler with a single connection does not answer `one` before `other` gives it back. */
const SINGLE_MS = 100;
/** A statement that was not prepared on this connection, or was prepared on it for another client. */
const UNPREPARED = /^(26000|42P05)$/;

/**
 * Fails with OperatorError where requests cannot go through the pooler in transaction mode at `url`: where it does not lead
 * to the database at `directUrl`, or forgets prepared statements.
 */
export async function requirePooler(url: string, directUrl: string): Promise<void> {
  try {
    await onConnection(url, async (one) => {
      await onConnection(directUrl, (session) => requireSameDatabase(one, session, url));
      await onConnection(url, (other) => requirePrepared(one, other, url));
    });
  } catch (error) {
    throw explained(error, url);
  }
}

async function requireSameDatabase(one: ClientBase, session: ClientBase, url: string): Promise<void> {
  if (await doLocksExclude(one, session)) return;
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
