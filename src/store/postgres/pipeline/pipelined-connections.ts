import type { ClientBase } from 'pg';
import { unavailable } from '../../../domain/failure.ts';
import { isConnectionLost, type Lender } from './connection.ts';
import { type Answer, type PipelineResult, type Statement, sendPipeline } from './pipeline.ts';
import type { Runner } from './runner.ts';

/**
 * Connections that the statements of all requests share. More connections would only wake more processes of the
 * server.
 */
const CONNECTIONS = 4;
/**
 * Statements in a pipeline at most. Bounds how long one waits behind others, and what the server holds back before
 * it answers.
 */
const PIPELINE_LIMIT = 32;
/**
 * A statement that waited this long for its turn, or behind a statement that failed, is given up. The time is
 * shorter than the wait of a statement for a lock (pool.ts), so that no statement waits behind two of those.
 */
const PATIENCE_MS = 1_500;

interface Waiting {
  readonly statement: Statement;
  readonly since: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface PipelinedOptions {
  /** True for statements that write: none is answered before its whole pipeline is on disk. */
  readonly isWriting: boolean;
}

/**
 * Runs statements, each of which is a whole transaction. Statements that wait go to the server together, as one
 * pipeline on one connection, with one round trip and one commit (decisions 0022). A statement fails alone: when a
 * pipeline ends with an error, its statements without an answer are done again, one at a time.
 */
export class PipelinedConnections implements Runner {
  readonly #lender: Lender;
  readonly #isWriting: boolean;
  readonly #waiting: Waiting[] = [];
  #free = CONNECTIONS;
  #isScheduled = false;

  constructor(lender: Lender, { isWriting }: PipelinedOptions) {
    this.#lender = lender;
    this.#isWriting = isWriting;
  }

  run(statement: Statement): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ statement, since: performance.now(), resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Waits for the end of this turn of the event loop, so that the statements of all its requests go together. */
  #schedule(): void {
    if (this.#isScheduled || this.#free === 0 || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#refuseLate();
      while (this.#free > 0 && this.#waiting.length > 0) void this.#serve(this.#takeShare());
    });
  }

  /** Statements wait in the order in which they came, so those that are late stand first. */
  #refuseLate(): void {
    const inTime = this.#waiting.findIndex((each) => !isLate(each));
    const refused = this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime);
    for (const { reject } of refused)
      reject(unavailable(new Error('All connections were busy for too long.')));
  }

  #takeShare(): Waiting[] {
    return this.#waiting.splice(0, Math.min(Math.ceil(this.#waiting.length / this.#free), PIPELINE_LIMIT));
  }

  async #serve(together: readonly Waiting[]): Promise<void> {
    this.#free--;
    let client: ClientBase | undefined;
    let problem: unknown;
    try {
      client = await this.#lender.acquire();
      problem = await this.#runOn(client, together);
    } catch (error) {
      for (const { reject } of together) reject(error);
    } finally {
      if (client) this.#lender.release(client, problem);
      this.#free++;
      this.#schedule();
    }
  }

  /** Returns the error with which the connection goes back (`Lender.release`), if any. */
  async #runOn(client: ClientBase, together: readonly Waiting[]): Promise<unknown> {
    const { answers, error } = await sendPipeline(client, statementsOf(together));
    const done = error === undefined || !this.#isWriting ? answers : [];
    for (const [index, answer] of done.entries()) together[index]?.resolve(answer);
    if (error === undefined) return undefined;
    const others = together.slice(done.length);
    return isConnectionLost(error) || together.length === 1
      ? refuse(others, error)
      : this.#runOneByOne(client, others, error);
  }

  async #runOneByOne(client: ClientBase, together: readonly Waiting[], first: unknown): Promise<unknown> {
    for (const [index, each] of together.entries()) {
      if (isLate(each)) {
        each.reject(unavailable(first));
        continue;
      }
      const { answers, error }: PipelineResult = await sendPipeline(client, [each.statement]);
      const [answer] = answers;
      if (error === undefined && answer) each.resolve(answer);
      else if (isConnectionLost(error)) return refuse(together.slice(index), error);
      else each.reject(error);
    }
    return undefined;
  }
}

function isLate({ since }: Waiting): boolean {
  return performance.now() - since > PATIENCE_MS;
}

function statementsOf(together: readonly Waiting[]): Statement[] {
  return together.map(({ statement }) => statement);
}

function refuse(together: readonly Waiting[], error: unknown): unknown {
  for (const { reject } of together) reject(error);
  return error;
}
