import type { ClientBase } from 'pg';

/** Any number that nothing else locks in the database. */
const USE_LOCK = 7_046_210_002;

/**
 * Who uses the database: any number of servers share it, or one move has it alone. An advisory lock,
 * which ends with its connection. False when a move has the database.
 */
export async function useShared(client: ClientBase): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock_shared');
}

/** False when anybody uses the database. */
export async function useAlone(client: ClientBase): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock');
}

async function tryLock(client: ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${lock}(${USE_LOCK}) AS locked`);
  return rows[0]?.locked === true;
}
