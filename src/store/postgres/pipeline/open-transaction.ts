import type { ClientBase } from 'pg';
import { Failure } from '../../../domain/failure.ts';
import { isConnectionLost } from './connection.ts';
import { type Answer, type Patience, type Statement, sendPipeline } from './pipeline.ts';
import { type Runner, runAlone } from './runner.ts';

interface Waiting {
  readonly statement: Statement;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * A transaction on one connection, which the statements `begin` start. They go to the server with the first
 * statement of the work, and so do statements that are asked for together (`Promise.all`): a round trip for
 * each time that the work waits, and one for the commit.
 */
export class OpenTransaction implements Runner {
  readonly #client: ClientBase;
  readonly #patience: Patience | undefined;
  #begin: Statement[] | undefined;
  #waiting: Waiting[] = [];
  #sending = Promise.resolve();
  #hasEnded = false;

  constructor(client: ClientBase, begin: readonly string[], patience?: Patience) {
    this.#client = client;
    this.#patience = patience;
    this.#begin = begin.map(control);
  }

  /** Fails after the end: somebody else has the connection then. */
  async run(statement: Statement): Promise<Answer> {
    if (this.#hasEnded) throw new Error('The transaction of this statement has ended.');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#waiting.length === 0) this.#sending = this.#sending.then(() => this.#send());
    this.#waiting.push({ statement, resolve, reject });
    return promise;
  }

  /** Fails where a statement of the transaction failed and nobody listened. */
  async commit(): Promise<void> {
    await this.#sending;
    this.#hasEnded = true;
    // Nothing was sent, so nothing was begun.
    if (this.#begin) return;
    const { command } = await runAlone(this.#client, control('COMMIT'));
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit.');
  }

  /** Returns why the connection is of no use any more, if it is. */
  async rollBack(error: unknown): Promise<unknown> {
    this.#hasEnded = true;
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
    const together = this.#waiting;
    [this.#begin, this.#waiting] = [undefined, []];
    const statements = [...begin, ...together.map(({ statement }) => statement)];
    const { answers, error } = await sendPipeline(this.#client, statements, this.#patience);
    const own = answers.slice(begin.length);
    for (const [index, { resolve, reject }] of together.entries()) {
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
