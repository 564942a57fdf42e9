import { sql } from 'kysely';
import { type Client, DatabaseError } from 'pg';
import { Failure, unavailable } from '../../domain/failure.ts';
import { JobRunner } from '../../domain/jobs.ts';
import type { Notice } from '../../domain/notice.ts';
import { LONG_READ_MS, tookTooLong } from '../deadline.ts';
import { Lull } from '../lull.ts';
import type { Change, ReadOperation, WriteOperation } from '../operation.ts';
import { Room } from '../room.ts';
import type { Store } from '../store.ts';
import type { Db } from '../tables.ts';
import { ChangeListener } from './changes.ts';
import { connectForUse } from './connect.ts';
import { sumUpCounts } from './counts.ts';
import { kyselyOn, kyselyOnClient } from './dialect.ts';
import { postgresEngine } from './engine.ts';
import { translatePostgresError } from './errors.ts';
import { PipelinedConnections, type Runner, StatementNames } from './pipeline/index.ts';
import { ConnectionPool, GRACE_MS, type PoolOptions } from './pool.ts';
import { retried, transaction } from './transaction.ts';

/** Operations lock the rows that they decide by; serializable would make most concurrent inserts run again. */
const BEGIN_WRITE = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
/** A long read sees one snapshot from its first statement to its last. */
const BEGIN_LONG_READ = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  `SET LOCAL statement_timeout = ${LONG_READ_MS}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];
/** SQLSTATE query_canceled. */
const QUERY_CANCELED = '57014';
const SUM_UP_MS = 1_000;
/**
 * The lull that background work waits for, and how long it waits at most. Such work has a connection of its own and
 * keeps no write from its turn; the wait only lets more of it come together.
 */
const IDLE_MS = 5;
const LONGEST_MS = 10;
/**
 * How long the store counts as full after a write that found no room. Nothing but the next write tells whether the
 * disk of the server has room again.
 */
const FULL_MS = 5_000;

export interface PostgresOptions extends PoolOptions {
  /** Tables whose visible rows triggers count. */
  readonly countedTables: readonly string[];
}

/**
 * The store on a PostgreSQL database, which must have the schema of this version. Fails with
 * OperatorError while a move has the database.
 */
export async function openPostgresStore(options: PostgresOptions, notice: Notice): Promise<Store> {
  return new PostgresStore(options, await connectForUse(options.url), notice);
}

class PostgresStore implements Store {
  readonly #pool: ConnectionPool;
  readonly #names = new StatementNames();
  /** For short reads and for writes of one statement. Both share their round trips with others of their kind. */
  readonly #reads: Db;
  readonly #oneStatementWrites: Db;
  readonly #changes: ChangeListener;
  #silence = new AbortController();
  readonly #idle: (() => void)[] = [];
  #underWay = 0;
  #closing: Promise<void> | undefined;
  readonly #writeListeners: (() => void)[] = [];
  readonly #lull = new Lull(IDLE_MS, LONGEST_MS);
  readonly #room = new Room(async () => true, FULL_MS);
  readonly #upkeep: JobRunner;

  constructor(options: PostgresOptions, client: Client, notice: Notice) {
    this.#pool = new ConnectionPool(options);
    this.#reads = kyselyOn(new PipelinedConnections(this.#pool, { isWriting: false }), this.#names);
    this.#oneStatementWrites = kyselyOn(
      new PipelinedConnections(this.#pool, { isWriting: true }),
      this.#names,
    );
    this.#changes = new ChangeListener(options.url, client, () => this.#endLongReads());
    this.#upkeep = new JobRunner(notice);
    this.#upkeep.start(this.#changes.job);
    this.#upkeep.start({
      name: 'adding up the counts',
      every: SUM_UP_MS,
      run: () => this.#sumUpCounts(options.countedTables),
    });
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (!operation.isLong(input)) {
      return this.#counted(() => operation.run(this.#reads, input, postgresEngine));
    }
    return this.#counted(() => this.#readLong(operation, input));
  }

  async #readLong<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    const patience = { milliseconds: LONG_READ_MS + GRACE_MS, silence: this.#silence.signal };
    const run = (runner: Runner) => operation.run(kyselyOn(runner), input, postgresEngine);
    try {
      return await transaction(this.#pool, BEGIN_LONG_READ, run, patience);
    } catch (error) {
      throw wasEndedByServer(error) ? tookTooLong(error.cause) : error;
    }
  }

  /** Called when the server is silent. Short work needs no call: its own time limit ends it soon enough. */
  #endLongReads(): void {
    this.#silence.abort();
    this.#silence = new AbortController();
  }

  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#counted(() =>
      operation.isBackground ? this.#writeInLull(operation, input) : this.#writeNow(operation, input),
    );
  }

  async #writeNow<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    this.#lull.disturb();
    try {
      return await this.#run(operation, input);
    } finally {
      this.#lull.disturb();
      for (const listener of this.#writeListeners) listener();
    }
  }

  async #writeInLull<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    await this.#lull.wait();
    return this.#run(operation, input);
  }

  #run<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const written = retried(() =>
      operation.isOneStatement
        ? operation.run(this.#oneStatementWrites, input, postgresEngine)
        : transaction(this.#pool, BEGIN_WRITE, (runner) =>
            operation.run(kyselyOn(runner, this.#names), input, postgresEngine),
          ),
    );
    written.catch((error) => this.#room.note(error));
    return written;
  }

  async #sumUpCounts(tables: readonly string[]): Promise<void> {
    try {
      await this.#pool.lend((client) => sumUpCounts(kyselyOnClient(client), tables));
    } catch (error) {
      throw translatePostgresError(error);
    }
  }

  onWrite(listener: () => void): void {
    this.#writeListeners.push(listener);
  }

  onChange(listener: (change: Change) => void): void {
    this.#changes.add(listener);
  }

  async ping(): Promise<void> {
    this.#requireNoMove();
    await sql`select 1`.execute(this.#reads);
    await this.#room.require();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#upkeep.close();
    await this.#changes.close();
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#pool.close();
  }

  /** Counts the work under way, so that closing waits for all of it. */
  async #counted<Output>(work: () => Promise<Output>): Promise<Output> {
    this.#requireNoMove();
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) for (const resolve of this.#idle) resolve();
    }
  }

  #requireNoMove(): void {
    if (this.#changes.isBarred) throw unavailable(new Error('A move uses the database.'));
  }
}

/** The server ended a statement that took longer than it may. */
function wasEndedByServer(error: unknown): error is Failure {
  if (!(error instanceof Failure && error.cause instanceof DatabaseError)) return false;
  return error.cause.code === QUERY_CANCELED;
}
