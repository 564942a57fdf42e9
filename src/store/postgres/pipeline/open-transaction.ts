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
 * A transaction on one connection, which begins with the statements `begin`. These go to the server together with
 * the first statement of the work. Statements that are asked for together (`Promise.all`) go together too. So there
 * is one round trip for each time that the work waits, and one for the commit.
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

  /** Fails after the end of the transaction, because another one may have the connection then. */
  async run(statement: Statement): Promise<Answer> {
    if (this.#hasEnded) throw new Error('The transaction of this statement has ended.');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#waiting.length === 0) this.#sending = this.#sending.then(() => this.#send());
    this.#waiting.push({ statement, resolve, reject });
    return promise;
  }

  /** Fails where a statement of the transaction failed, even if the work ignored that error. */
  async commit(): Promise<void> {
    await this.#sending;
    this.#hasEnded = true;
    // Nothing was sent, so nothing was begun.
    if (this.#begin) return;
    const { command } = await runAlone(this.#client, control('COMMIT'));
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit.');
  }

  /**
   * Ends the transaction after this error of the work. Returns the error with which the connection goes back
   * (`Lender.release`).
   */
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

/** A statement with a name, so that the server does not parse it each time. */
function control(text: string): Statement {
  return { text, name: text, values: [] };
}
