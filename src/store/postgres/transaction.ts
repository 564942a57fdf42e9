import { setTimeout as pause } from 'node:timers/promises';
import { busy } from '../../domain/failure.ts';
import { isTryAgain, translatePostgresError } from './errors.ts';
import { control, type Lender, OpenTransaction, type Patience, type Runner } from './pipeline/index.ts';

/** Runs of one write before the client is asked to try again later. */
const TRIES = 12;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 150;

/**
 * Runs `work` inside a transaction, which begins with the statements `begin`: all of its changes are made, or none.
 * `patience` replaces the time limit of the pool.
 */
export async function transaction<Output>(
  lender: Lender,
  begin: readonly string[],
  work: (runner: Runner) => Promise<Output>,
  patience?: Patience,
): Promise<Output> {
  const client = await lender.acquire();
  // After BEGIN, and before limits of its own.
  const statements = begin.map((text) => control(text)).toSpliced(1, 0, ...lender.limits);
  const open = new OpenTransaction(client, statements, patience);
  let problem: unknown;
  try {
    const output = await work(open);
    await open.commit();
    return output;
  } catch (error) {
    problem = await open.rollBack(error);
    throw translatePostgresError(error);
  } finally {
    lender.release(client, problem);
  }
}

/**
 * Runs `work`, and repeats it after a short random pause when the database reports a deadlock or a conflict with
 * another transaction. Fails with `busy` after TRIES runs.
 */
export async function retried<Output>(work: () => Promise<Output>): Promise<Output> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isTryAgain(error)) throw error;
      if (tries === TRIES) throw busy('Too many changes to the same thing at once; try again.', 1, error);
    }
    await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS));
  }
}
