import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { Failure } from '../../domain/failure.ts';
import { type Answer, type Statement, sendBatch } from './batch.ts';
import { type Runner, runAlone } from './dialect.ts';
import { isConnectionLost, isTryAgain, translatePostgresError } from './errors.ts';
import type { Lender } from './pool.ts';

/** Tries of one write before the client is asked to try again later. */
const TRIES = 12;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 150;

interface Waiting {
  readonly statement: Statement;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Runs `work` inside a transaction that the statements `begin` start; all of its changes are made, or none.
 * They go to the server with the first statement of the work, and so do statements that are asked for
 * together (`Promise.all`): a round trip for each time that the work waits, and one for the commit.
 */
export async function transaction<Output>(
  lender: Lender,
  begin: readonly string[],
  work: (runner: Runner) => Promise<Output>,
): Promise<Output> {
  const client = await lender.acquire();
  const open = new OpenTransaction(client, begin);
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

class OpenTransaction implements Runner {
  readonly #client: ClientBase;
  #begin: Statement[] | undefined;
  #waiting: Waiting[] = [];
  #sending = Promise.resolve();

  constructor(client: ClientBase, begin: readonly string[]) {
    this.#client = client;
    this.#begin = begin.map(control);
  }

  run(statement: Statement): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#waiting.length === 0) this.#sending = this.#sending.then(() => this.#send());
    this.#waiting.push({ statement, resolve, reject });
    return promise;
  }

  /** Fails where a statement of the transaction failed and nobody listened. */
  async commit(): Promise<void> {
    await this.#sending;
    // Nothing was sent, so nothing was begun.
    if (this.#begin) return;
    const { command } = await runAlone(this.#client, control('COMMIT'));
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit.');
  }

  /** Returns why the connection is of no use any more, if it is. */
  async rollBack(error: unknown): Promise<unknown> {
    const cause = error instanceof Failure ? error.cause : error;
    if (isConnectionLost(cause)) return cause;
    await this.#sending;
    if (this.#begin) return cause;
    return runAlone(this.#client, control('ROLLBACK')).then(
      () => cause,
      (failed) => failed,
    );
  }

  /** Everything that waits, in one round trip. */
  async #send(): Promise<void> {
    const begin = this.#begin ?? [];
    const batch = this.#waiting;
    [this.#begin, this.#waiting] = [undefined, []];
    const statements = [...begin, ...batch.map(({ statement }) => statement)];
    const { answers, error } = await sendBatch(this.#client, statements);
    const own = answers.slice(begin.length);
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = own[index];
      if (answer) resolve(answer);
      else reject(error);
    }
  }
}

/** Named like the rest, so that the server does not parse it each time. */
function control(text: string): Statement {
  return { text, name: text, values: [] };
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
