import { Client, DatabaseError } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import { placeOf } from './place.ts';
import { clientConfig } from './pool.ts';
import { useShared } from './use.ts';

/** What `pg` or the server says when a password is asked for (scram-sha-256, password) and nobody gave one. */
const NO_PASSWORD = /client password must be a (non-empty )?string|empty password returned by client/;

/**
 * A connection of its own, outside of the pool; the caller ends it. Fails with OperatorError where the
 * database cannot be reached or refuses us.
 */
export async function connect(url: string): Promise<Client> {
  try {
    const client = new Client(clientConfig(url));
    // The connection was lost between two statements: the next statement reports that.
    client.on('error', () => {});
    await client.connect();
    return client;
  } catch (error) {
    throw explained(error, url);
  }
}

/** A move has the database alone. */
export class MoveUnderWay extends OperatorError {}

/**
 * As `connect`, for whoever serves from the database or changes it: no move can begin while the connection lives. Fails
 * with MoveUnderWay while a move has the database.
 */
export async function connectForUse(url: string): Promise<Client> {
  const client = await connect(url);
  try {
    if (await useShared(client)) return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw explained(error, url);
  }
  await client.end();
  throw new MoveUnderWay(`A move uses the database ${placeOf(url)}; wait until it has ended.`);
}

/** One line for the person at the terminal, without the password, where the database is away or refuses us. */
export function explained(error: unknown, url: string): unknown {
  const refused = error instanceof DatabaseError && /^(28|3D|3F|53|57|42501)/.test(error.code ?? '');
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
