import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientBase, DatabaseError } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import { placeOf } from './place.ts';
import { clientConfig } from './pool.ts';
import { requireSessions } from './sessions.ts';

/** The message of `pg` or the server if a password is needed (scram-sha-256, password) and there is none. */
const NO_PASSWORD = /client password must be a (non-empty )?string|empty password returned by client/;

/**
 * A start or a command may wait 30 s for each connection, and 45 s for a lock to be tried. Nobody waits for an answer
 * as for that of a request, and the process of a backup, which gets idle time only, needs many seconds where the
 * machine is busy.
 */
const UNHURRIED = 15;

/**
 * A connection outside of the pool, which the caller ends. Fails with OperatorError if the database cannot be reached
 * or refuses us. `patience` is that of the pool (PoolOptions), and UNHURRIED unless told.
 */
export async function connect(url: string, patience = UNHURRIED): Promise<Client> {
  try {
    const client = new Client(clientConfig(url, patience));
    // If the connection is lost between two statements, the next statement reports that.
    client.on('error', () => {});
    await client.connect();
    return client;
  } catch (error) {
    throw explained(error, url);
  }
}

/** Does some work on a connection of its own (`connect`), and ends it. */
export async function onConnection<Output>(
  url: string,
  work: (client: Client) => Promise<Output>,
): Promise<Output> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** As `connect`. Fails with OperatorError too where the connection is no session of its own (`requireSessions`). */
export async function connectSession(url: string): Promise<Client> {
  const client = await connect(url);
  try {
    const other = await connect(url);
    await requireSessions(client, other, url).finally(() => other.end().catch(() => {}));
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw explained(error, url);
  }
}

/** A move uses the database. */
export class MoveUnderWay extends OperatorError {}

/**
 * As `connect`, for code that serves from the database or changes it: no move can begin while the connection lives. Fails
 * with MoveUnderWay during a move.
 */
export async function connectForUse(url: string, patience?: number): Promise<Client> {
  return inUse(await connect(url, patience), url, patience);
}

/** As `connectForUse`, and fails where the connection is no session of its own. One in a process proves it for all. */
export async function connectSessionForUse(url: string): Promise<Client> {
  return inUse(await connectSession(url), url);
}

async function inUse(client: Client, url: string, patience?: number): Promise<Client> {
  try {
    if (await useShared(client, patience)) return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw explained(error, url);
  }
  await client.end();
  throw new MoveUnderWay(`A move uses the database ${placeOf(url)}; wait until it has ended.`);
}

/** One line for the terminal, without the password, if the database is unavailable or refuses us. */
export function explained(error: unknown, url: string): unknown {
  const refused = error instanceof DatabaseError && /^(08|28|3D|3F|53|57|42501)/.test(error.code ?? '');
  const away =
    error instanceof Error && !(error instanceof DatabaseError) && !(error instanceof OperatorError);
  if (!refused && !away) return error;
  const place = placeOf(url);
  if (NO_PASSWORD.test(error.message)) {
    return new OperatorError(
      `The database ${place} asks for a password, and there is none; put it into DATABASE_URL, PGPASSWORD or ~/.pgpass.`,
    );
  }
  return new OperatorError(`The database ${place} cannot be used: ${reasonOf(error)}.`);
}

/** Any number that no other lock of the database has. */
const USE_LOCK = 7_046_210_002;
const PATIENCE_MS = 2_000;
const PAUSE_MS = 50;
/** Trying a lock takes no time, so a server that does not answer within this time is silent; times the patience. */
const SILENT_MS = 3_000;

/**
 * Takes the shared lock of all users of the database. Any number of servers and commands share it, or one move holds it
 * exclusively. The advisory lock ends with its connection. False during a move.
 */
export async function useShared(client: ClientBase, patience?: number): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock_shared', USE_LOCK, patience);
}

/**
 * Takes the exclusive lock for a move. False if others still use the database after PATIENCE_MS, which the server may
 * need to notice that a process is dead.
 */
export function useAloneSoon(client: ClientBase): Promise<boolean> {
  return lockWithin(client, USE_LOCK, PATIENCE_MS);
}

/** Takes an exclusive lock of the session, and waits outside of any transaction. False if others hold it for this long. */
export async function lockWithin(client: ClientBase, key: number, milliseconds: number): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (!(await tryLock(client, 'pg_try_advisory_lock', key))) {
    if (performance.now() > until) return false;
    await pause(PAUSE_MS);
  }
  return true;
}

async function tryLock(
  client: ClientBase,
  lock: string,
  key: number,
  patience = UNHURRIED,
): Promise<boolean> {
  const statement = { text: `SELECT ${lock}(${key}) AS locked`, query_timeout: patience * SILENT_MS };
  const { rows } = await client.query(statement);
  return rows[0]?.locked === true;
}

/** True if the database has Stoa's schema, of any version. Fails with OperatorError if it cannot be reached. */
export function hasSchema(url: string): Promise<boolean> {
  return onConnection(url, async (client) => {
    const { rows } = await client.query(
      `SELECT to_regclass('migrations') IS NOT NULL AND to_regclass('move_progress') IS NOT NULL AS ours`,
    );
    return rows[0]?.ours === true;
  });
}
