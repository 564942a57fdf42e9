import type { ClientBase } from 'pg';
import { unavailable } from '../../domain/failure.ts';
import { type Answer, type BatchResult, type Statement, sendBatch } from './batch.ts';
import type { Runner } from './dialect.ts';
import { isConnectionLost } from './errors.ts';
import type { Lender } from './pool.ts';

/** Connections that the statements of all requests share; more of them only wake more processes. */
const LANES = 4;
/** Bounds what one statement can wait for behind others, and what the server holds back before it answers. */
const BATCH_LIMIT = 32;
/**
 * What waited this long for its turn, or behind a statement that failed, is given up: less than what a
 * statement waits for a lock (pool.ts), so that nothing waits for a second one behind the first.
 */
const PATIENCE_MS = 1_500;

interface Waiting {
  readonly statement: Statement;
  readonly since: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface LanesOptions {
  /** The statements write: none is answered before all of its batch are on disk. */
  readonly isWriting: boolean;
}

/**
 * Runs statements that each are a whole transaction. Those that wait go to the server together, as one
 * batch on one connection: one round trip, and one commit, for all of them (decisions 0022). What fails
 * fails alone: a batch that ends with an error is done again, one statement at a time.
 */
export class Lanes implements Runner {
  readonly #lender: Lender;
  readonly #isWriting: boolean;
  readonly #waiting: Waiting[] = [];
  #free = LANES;
  #isScheduled = false;

  constructor(lender: Lender, { isWriting }: LanesOptions) {
    this.#lender = lender;
    this.#isWriting = isWriting;
  }

  run(statement: Statement): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ statement, since: performance.now(), resolve, reject });
    this.#schedule();
    return promise;
  }

  /** After this turn of the event loop, so that all of its requests go together. */
  #schedule(): void {
    if (this.#isScheduled || this.#free === 0 || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#refuseLate();
      while (this.#free > 0 && this.#waiting.length > 0) void this.#serve(this.#takeShare());
    });
  }

  /** They wait in the order in which they came. */
  #refuseLate(): void {
    const inTime = this.#waiting.findIndex((each) => !isLate(each));
    const refused = this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime);
    for (const { reject } of refused)
      reject(unavailable(new Error('All connections were busy for too long.')));
  }

  #takeShare(): Waiting[] {
    return this.#waiting.splice(0, Math.min(Math.ceil(this.#waiting.length / this.#free), BATCH_LIMIT));
  }

  async #serve(batch: readonly Waiting[]): Promise<void> {
    this.#free--;
    let client: ClientBase | undefined;
    let problem: unknown;
    try {
      client = await this.#lender.acquire();
      problem = await this.#runOn(client, batch);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      if (client) this.#lender.release(client, problem);
      this.#free++;
      this.#schedule();
    }
  }

  /** Returns what is wrong with the connection, if anything. */
  async #runOn(client: ClientBase, batch: readonly Waiting[]): Promise<unknown> {
    const { answers, error } = await sendBatch(client, statementsOf(batch));
    const done = error === undefined || !this.#isWriting ? answers : [];
    for (const [index, answer] of done.entries()) batch[index]?.resolve(answer);
    if (error === undefined) return undefined;
    const others = batch.slice(done.length);
    return isConnectionLost(error) || batch.length === 1
      ? refuse(others, error)
      : this.#runOneByOne(client, others, error);
  }

  async #runOneByOne(client: ClientBase, batch: readonly Waiting[], first: unknown): Promise<unknown> {
    for (const [index, each] of batch.entries()) {
      if (isLate(each)) {
        each.reject(unavailable(first));
        continue;
      }
      const { answers, error }: BatchResult = await sendBatch(client, [each.statement]);
      const [answer] = answers;
      if (error === undefined && answer) each.resolve(answer);
      else if (isConnectionLost(error)) return refuse(batch.slice(index), error);
      else each.reject(error);
    }
    return undefined;
  }
}

function isLate({ since }: Waiting): boolean {
  return performance.now() - since > PATIENCE_MS;
}

function statementsOf(batch: readonly Waiting[]): Statement[] {
  return batch.map(({ statement }) => statement);
}

function refuse(batch: readonly Waiting[], error: unknown): unknown {
  for (const { reject } of batch) reject(error);
  return error;
}
