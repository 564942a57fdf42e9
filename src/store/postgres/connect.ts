import { Client, DatabaseError } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { clientConfig } from './pool.ts';
import { useShared } from './use.ts';

/**
 * A connection of its own, outside of the pool; the caller ends it. Fails with OperatorError where the
 * database cannot be reached or refuses us.
 */
export async function connect(url: string): Promise<Client> {
  try {
    const client = new Client(clientConfig(url));
    // A connection lost between two statements: the next statement reports it.
    client.on('error', () => {});
    await client.connect();
    return client;
  } catch (error) {
    throw explained(error, url);
  }
}

/** A move has the database alone. */
export class MoveUnderWay extends OperatorError {}

/** The same for whoever serves from the database or changes it, which no move may do meanwhile. */
export async function connectForUse(url: string): Promise<Client> {
  const client = await connect(url);
  if (await useShared(client)) return client;
  await client.end();
  throw new MoveUnderWay(`A move uses the database ${placeOf(url)}; wait until it has ended.`);
}

/** A database that is away or refuses us is one line for the person at the terminal, without the password. */
export function explained(error: unknown, url: string): unknown {
  const refused = error instanceof DatabaseError && /^(28|3D|53|57|42501)/.test(error.code ?? '');
  const away =
    error instanceof Error && !(error instanceof DatabaseError) && !(error instanceof OperatorError);
  if (!refused && !away) return error;
  const cause = error instanceof AggregateError ? error.errors.join(', ') : error.message;
  return new OperatorError(`The database ${placeOf(url)} cannot be used: ${cause}.`);
}

/** Where the database is, for sentences: without user and password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
