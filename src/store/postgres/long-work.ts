import type { ClientBase } from 'pg';

/**
 * Removes the time limits of the server, which an operator may have given the role. Not every version of the server has all
 * of these settings.
 */
const PATIENT = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout',
  'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`;
/** The server checks every second whether its client lives, so that killed work soon gives its locks back. */
const WATCHFUL = 'SET client_connection_check_interval = 1000';

/** Prepares a connection for a move or a migration, which have statements that take minutes. */
export async function allowLongWork(client: ClientBase): Promise<void> {
  await client.query(PATIENT);
  // Not every operating system can report to the server that a client is dead.
  await client.query(WATCHFUL).catch(() => {});
}
