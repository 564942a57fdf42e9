import type { ClientBase } from 'pg';
import { statementsUnderWay } from '../../../domain/spent.ts';
import { isConnectionLost } from './connection.ts';
import {
  type Answer,
  control,
  type Patience,
  type Runner,
  runAlone,
  type Statement,
  sendPipeline,
} from './pipeline.ts';

interface Waiting extends PromiseWithResolvers<Answer> {
  readonly statement: Statement;
}

/**
 * A transaction on one connection, which begins with the statements `begin`. They are sent together with the first
 * statement of the work. Statements that run together (`Promise.all`) are sent together too. So there is one round trip
 * for each time that the work waits, and one for the commit.
 */
export class OpenTransaction implements Runner {
  readonly #client: ClientBase;
  readonly #patience: Patience | undefined;
  #begin: readonly Statement[] | undefined;
  #waiting: Waiting[] = [];
  #sending = Promise.resolve();
  #hasEnded = false;

  constructor(client: ClientBase, begin: readonly Statement[], patience?: Patience) {
    this.#client = client;
    this.#patience = patience;
    this.#begin = begin;
  }

  /** Fails after the end of the transaction, because the connection may then serve another one. */
  async run(statement: Statement): Promise<Answer> {
    if (this.#hasEnded) throw new Error('The transaction of this statement has ended.');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#waiting.length === 0) this.#sending = this.#sending.then(() => this.#send());
    this.#waiting.push({ statement, promise, resolve, reject });
    return promise;
  }

  /** Fails if a statement of the transaction failed, even if the work ignored that error. */
  async commit(): Promise<void> {
    await this.#sending;
    this.#hasEnded = true;
    // Nothing was sent, so nothing was begun.
    if (this.#begin) return;
    const notes = statementsUnderWay();
    const { command } = await (notes ? notes.noting('COMMIT', () => this.#sendCommit()) : this.#sendCommit());
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit.');
  }

  #sendCommit(): Promise<Answer> {
    return runAlone(this.#client, control('COMMIT'));
  }

  /**
   * Ends the transaction after this error of the work. Returns the error with which the connection is returned
   * (`Lender.release`).
   */
  async rollBack(error: unknown): Promise<unknown> {
    this.#hasEnded = true;
    if (isConnectionLost(error)) return error;
    await this.#sending;
    if (this.#begin) return error;
    return runAlone(this.#client, control('ROLLBACK')).then(
      () => error,
      (failed) => failed,
    );
  }

  /** Sends everything that waits, in one round trip. */
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
