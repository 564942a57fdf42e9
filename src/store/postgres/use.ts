import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';

/** Any number that nothing else locks in the database. */
const USE_LOCK = 7_046_210_002;
const PATIENCE_MS = 2_000;
const PAUSE_MS = 50;
/** To try a lock takes no time, so a server that does not answer by then is silent. */
const SILENT_MS = 3_000;

/**
 * Takes the shared lock of whoever uses the database: any number of servers and commands have it together, or one
 * move has the lock alone. The advisory lock ends with its connection. False when a move has the database.
 */
export async function useShared(client: ClientBase): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock_shared');
}

/**
 * Takes the lock for a move. False when others use the database, and still do after PATIENCE_MS: the server may need
 * that long to see that a process has gone.
 */
export async function useAloneSoon(client: ClientBase): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await tryLock(client, 'pg_try_advisory_lock'))) {
    if (performance.now() > until) return false;
    await pause(PAUSE_MS);
  }
  return true;
}

async function tryLock(client: ClientBase, lock: string): Promise<boolean> {
  const statement = { text: `SELECT ${lock}(${USE_LOCK}) AS locked`, query_timeout: SILENT_MS };
  const { rows } = await client.query(statement);
  return rows[0]?.locked === true;
}
