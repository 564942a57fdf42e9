import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { Failure } from '../../domain/failure.ts';
import type { Lender } from './dialect.ts';
import { isConnectionLost, isTryAgain, translatePostgresError } from './errors.ts';

/** Tries of one write before the client is asked to try again later. */
const TRIES = 12;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 150;

/** Runs `work` inside a transaction that `begin` starts; all of its changes are made, or none. */
export async function transaction<Output>(
  lender: Lender,
  begin: string,
  work: (client: ClientBase) => Promise<Output>,
): Promise<Output> {
  const client = await lender.acquire();
  let problem: unknown;
  try {
    await client.query(begin);
    const output = await work(client);
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit.');
    return output;
  } catch (error) {
    problem = await rolledBack(client, error);
    throw translatePostgresError(error);
  } finally {
    lender.release(client, problem);
  }
}

/** Why the connection is of no use any more, if it is. */
async function rolledBack(client: ClientBase, error: unknown): Promise<unknown> {
  const cause = error instanceof Failure ? error.cause : error;
  if (isConnectionLost(cause)) return cause;
  try {
    await client.query('ROLLBACK');
    return cause;
  } catch (failed) {
    return failed;
  }
}

/**
 * Runs `work` again, after a short pause with some chance in it, while the database says that another
 * transaction came between. Fails with `busy` when that goes on.
 */
export async function retried<Output>(work: () => Promise<Output>): Promise<Output> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isTryAgain(error)) throw error;
      if (tries === TRIES) throw contended(error);
    }
    await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS));
  }
}

function contended(cause: unknown): Failure {
  return new Failure(
    { error: 'busy', message: 'Too many changes to the same thing at once; try again.', retryAfter: 1 },
    cause,
  );
}
