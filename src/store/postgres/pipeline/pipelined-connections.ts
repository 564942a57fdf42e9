import type { ClientBase } from 'pg';
import { unavailable } from '../../../domain/failure.ts';
import { isConnectionLost, isStale } from './connection.ts';
import {
  type Answer,
  type Lender,
  type PipelineResult,
  type Runner,
  type Statement,
  sendPipeline,
} from './pipeline.ts';

/** Connections that the statements of all requests share. More of them would only wake more processes of the server. */
const CONNECTIONS = 4;
/**
 * The most statements in a pipeline. This bounds how long a statement waits for others, and what the server holds back
 * before it answers.
 */
const PIPELINE_LIMIT = 32;
/**
 * A statement is given up after it has waited this long for its turn, or behind a failed statement. This is shorter
 * than the wait of a statement for a lock (pool.ts), so that no statement waits behind two of those.
 */
const PATIENCE_MS = 1_500;

interface Waiting extends PromiseWithResolvers<Answer> {
  readonly statement: Statement;
  readonly since: number;
}

export interface PipelinedOptions {
  /** True for statements that write. None is answered before its whole pipeline is on disk. */
  readonly isWriting: boolean;
  /** As of the pool (`PoolOptions`). */
  readonly patience?: number | undefined;
}

/**
 * Runs statements, each of which is a whole transaction. Waiting statements are sent together, as one pipeline on one
 * connection, with one round trip and one commit (docs/decisions/store.md). A failed statement affects no other: when a
 * pipeline ends with an error, its statements without an answer run again, one at a time.
 */
export class PipelinedConnections implements Runner {
  readonly #lender: Lender;
  readonly #isWriting: boolean;
  readonly #patienceMs: number;
  readonly #waiting: Waiting[] = [];
  #free = CONNECTIONS;
  #isScheduled = false;
  #sendings = 0;

  constructor(lender: Lender, { isWriting, patience = 1 }: PipelinedOptions) {
    this.#lender = lender;
    this.#isWriting = isWriting;
    this.#patienceMs = patience * PATIENCE_MS;
  }

  run(statement: Statement): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ statement, since: performance.now(), promise, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** The same number as long as no statement was sent that waited. */
  get sendings(): number {
    return this.#sendings;
  }

  /** Waits for the end of this turn of the event loop, so that the statements of all its requests are sent together. */
  #schedule(): void {
    if (this.#isScheduled || this.#free === 0 || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#refuseLate();
      while (this.#free > 0 && this.#waiting.length > 0) void this.#serve(this.#takeShare());
    });
  }

  /** Waiting statements are in the order of their arrival, so late ones are first. */
  #refuseLate(): void {
    const inTime = this.#waiting.findIndex((each) => !this.#isLate(each));
    const refused = this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime);
    for (const { reject } of refused)
      reject(unavailable(new Error('All connections were busy for too long.')));
  }

  #takeShare(): Waiting[] {
    this.#sendings++;
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

  /** Returns the error with which the connection is returned (`Lender.release`), if any. */
  async #runOn(client: ClientBase, together: readonly Waiting[]): Promise<unknown> {
    const statements = together.map(({ statement }) => statement);
    const { answers, error } = await this.#send(client, statements);
    const done = error === undefined || !this.#isWriting ? answers : [];
    for (const [index, answer] of done.entries()) together[index]?.resolve(answer);
    if (error === undefined) return undefined;
    const others = together.slice(done.length);
    return isConnectionLost(error) || (together.length === 1 && !isStale(error))
      ? refuse(others, error)
      : this.#runOneByOne(client, others, error);
  }

  /** Returns the error of the last statement that ran, if it failed: it tells what the session is good for now. */
  async #runOneByOne(client: ClientBase, together: readonly Waiting[], first: unknown): Promise<unknown> {
    let last = first;
    for (const [index, each] of together.entries()) {
      if (this.#isLate(each)) {
        each.reject(unavailable(first));
        continue;
      }
      const { answers, error }: PipelineResult = await this.#send(client, [each.statement]);
      const [answer] = answers;
      last = error;
      if (error === undefined && answer) each.resolve(answer);
      else if (isConnectionLost(error)) return refuse(together.slice(index), error);
      else each.reject(error);
    }
    return last;
  }

  /** Returns the answers of these statements only. */
  async #send(client: ClientBase, statements: readonly Statement[]): Promise<PipelineResult> {
    const { limits } = this.#lender;
    if (limits.length === 0) return sendPipeline(client, statements);
    const { answers, ...result } = await sendPipeline(client, [...limits, ...statements]);
    return { answers: answers.slice(limits.length), ...result };
  }

  #isLate({ since }: Waiting): boolean {
    return performance.now() - since > this.#patienceMs;
  }
}

function refuse(together: readonly Waiting[], error: unknown): unknown {
  for (const { reject } of together) reject(error);
  return error;
}
