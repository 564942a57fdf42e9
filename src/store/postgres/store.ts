import { sql } from 'kysely';
import type { Client } from 'pg';
import { isStorageReadOnly, isUnavailable, unavailable } from '../../domain/failure.ts';
import { JobRunner } from '../../domain/jobs.ts';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Announcement } from '../announcements.ts';
import { LONG_READ_MS, tookTooLong } from '../deadline.ts';
import { type ReadOperation, runWrite, type WriteOperation } from '../operation.ts';
import { SharedReads } from '../shared-reads.ts';
import type { Store } from '../store.ts';
import { StoreBase } from '../store-base.ts';
import type { Db } from '../tables.ts';
import { WriteTrouble } from '../write-trouble.ts';
import { AnnouncementListener } from './announcements.ts';
import { connectForUse } from './connect.ts';
import { sumUpCounts } from './counts.ts';
import { kyselyOn, kyselyOnClient, postgresEngine, statementNames } from './dialect.ts';
import { isTableMissing, wasCanceled } from './errors.ts';
import { isSilence, PipelinedConnections, type Runner } from './pipeline/index.ts';
import { ConnectionPool, GRACE_MS, type PoolOptions } from './pool.ts';
import { requirePooler } from './pooler.ts';
import { makingStatistics } from './statistics.ts';
import { retried, transaction } from './transaction.ts';
import { TransactionTurns } from './turns.ts';

/** Operations lock the rows that they decide by. A serializable transaction would repeat most concurrent inserts. */
const BEGIN_WRITE = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
/**
 * The commit of derived data does not wait for the disk. Each statement is planned again, because a plan that was made
 * for small tables would read large ones whole.
 */
const BEGIN_DERIVED = [
  ...BEGIN_WRITE,
  'SET LOCAL synchronous_commit = off',
  'SET LOCAL plan_cache_mode = force_custom_plan',
];
/** A long read sees one snapshot from its first statement to its last. */
const beginLongRead = (limitMs: number) => [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  `SET LOCAL statement_timeout = ${limitMs}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];
const SUM_UP_MS = 1_000;
/** One for a long read, one for other requests, and one more. */
const LEAST_FOR_STATISTICS = 3;
/**
 * How long the store counts as full after a write that found no room, or as read-only. Only the next write shows
 * whether the server has room again.
 */
const FULL_MS = 5_000;

export interface PostgresOptions extends PoolOptions {
  /** Tables whose visible rows triggers count. */
  readonly countedTables: readonly string[];
}

/**
 * The store on a PostgreSQL database, which must have the schema of this version. Fails with OperatorError during a
 * move.
 */
export async function openPostgresStore(options: PostgresOptions, notice: Notice): Promise<Store> {
  if (options.poolerUrl !== undefined) await requirePooler(options.poolerUrl, options.url);
  const client = await connectForUse(options.url);
  return new PostgresStore(options, client, new ConnectionPool(options), notice);
}

class PostgresStore extends StoreBase {
  readonly #pool: ConnectionPool;
  readonly #names = statementNames();
  /** For short reads and for writes of one statement. Each kind shares its round trips. */
  readonly #pipelinedReads: PipelinedConnections;
  readonly #reads: Db;
  /** A read that was not sent yet has the answer of an equal one that comes now. */
  readonly #shared = new SharedReads();
  readonly #oneStatementWrites: Db;
  readonly #turns: TransactionTurns;
  readonly #others: AnnouncementListener;
  readonly #longReadMs: number;
  #silence = new AbortController();
  readonly #idle: (() => void)[] = [];
  #underWay = 0;
  readonly #trouble = new WriteTrouble(() => this.#takesWrites(), FULL_MS);
  readonly #upkeep: JobRunner;

  constructor(options: PostgresOptions, client: Client, pool: ConnectionPool, notice: Notice) {
    super();
    this.#pool = pool;
    const { patience = 1, size } = options;
    this.#longReadMs = patience * LONG_READ_MS;
    this.#turns = new TransactionTurns(size, patience);
    this.#pipelinedReads = new PipelinedConnections(this.#pool, { isWriting: false, patience });
    this.#reads = kyselyOn(this.#pipelinedReads, this.#names);
    this.#oneStatementWrites = kyselyOn(
      new PipelinedConnections(this.#pool, { isWriting: true, patience }),
      this.#names,
    );
    const tell = (announcements: readonly Announcement[]) => this.tell(announcements);
    this.#others = new AnnouncementListener(options.url, client, tell, () => this.#noteSilence());
    this.#upkeep = new JobRunner(notice);
    this.#upkeep.start(this.#others.job);
    this.#upkeep.start({
      name: 'adding up the counts',
      every: SUM_UP_MS,
      run: () => this.#pool.lend((client) => sumUpCounts(kyselyOnClient(client), options.countedTables)),
    });
    // Of fewer connections it could hold the one that requests wait for. PostgreSQL makes statistics itself, only
    // later.
    if (size >= LEAST_FOR_STATISTICS)
      this.#upkeep.start(makingStatistics(this.#reads, this.#pool, () => this.#silence.signal));
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#counted(() =>
      operation.isLong(input)
        ? this.#readLong(operation, input)
        : this.#shared.read(
            operation,
            input,
            () => this.#pipelinedReads.sendings,
            () => operation.run(this.#reads, input, postgresEngine),
          ),
    );
  }

  async #readLong<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    const patience = { milliseconds: this.#longReadMs + GRACE_MS, silence: this.#silence.signal };
    const run = (runner: Runner) => operation.run(kyselyOn(runner), input, postgresEngine);
    try {
      return await transaction(this.#pool, beginLongRead(this.#longReadMs), run, patience);
    } catch (error) {
      throw wasCanceled(error) ? tookTooLong(error.cause) : error;
    }
  }

  /**
   * Called when the server is silent. Ends long reads, and writes that wait for their turn. Other work needs no call,
   * because its own time limit ends it soon enough.
   */
  #noteSilence(): void {
    this.#silence.abort(unavailable(new Error('The server is silent.')));
    this.#silence = new AbortController();
  }

  override write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#counted(() => super.write(operation, input));
  }

  protected run<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const written = retried(() =>
      operation.isOneStatement
        ? operation.run(this.#oneStatementWrites, input, postgresEngine)
        : this.#transactInTurn(operation, input),
    );
    written.catch((error) => this.#trouble.note(error));
    return written;
  }

  /** Writes of one asker may wait for each other. Then they hold few connections, and others find one. */
  #transactInTurn<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const asker = operation.askerOf?.(input);
    if (!asker) return this.#transact(operation, input);
    const transact = async () => {
      try {
        return await this.#transact(operation, input);
      } catch (error) {
        if (isSilence(error)) this.#noteSilence();
        throw error;
      }
    };
    return this.#turns.of(operation).run(asker, transact, this.#silence.signal);
  }

  /** Announces after the commit, and also if nobody knows whether the commit was made. */
  async #transact<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const { send } = this.#others;
    let announcements: readonly Announcement[] = [];
    const run = async (runner: Runner) => {
      const db = kyselyOn(runner, this.#names);
      const ran = await runWrite(operation, db, input, postgresEngine, send);
      announcements = ran.announcements;
      return ran.value;
    };
    try {
      const output = await transaction(this.#pool, operation.isDerived ? BEGIN_DERIVED : BEGIN_WRITE, run);
      this.tell(announcements);
      return output;
    } catch (error) {
      if (isUnavailable(error)) this.tell(announcements);
      throw error;
    }
  }

  /** Reads a row of ours: a database that was dropped and made again empty answers, and has none of our tables. */
  async ping(): Promise<void> {
    this.#requireNoMove();
    try {
      await this.#reads.selectFrom('database_id').select('id').execute();
    } catch (error) {
      throw isTableMissing(error) ? unavailable(error) : error;
    }
    await this.#trouble.require();
  }

  /** Asks with a write that changes and locks no row. */
  async #takesWrites(): Promise<boolean> {
    try {
      await this.#oneStatementWrites
        .updateTable('database_id')
        .set({ id: '' })
        .where(sql.lit(false))
        .execute();
      return true;
    } catch (error) {
      if (isStorageReadOnly(error)) return false;
      throw error;
    }
  }

  readings(): readonly Reading[] {
    return [...this.#pool.readings, ...this.#upkeep.readings, ...this.#turns.readings];
  }

  async measure(): Promise<readonly Reading[]> {
    const { rows } = await sql<{ bytes: number }>`
      select pg_database_size(current_database()) as bytes`.execute(this.#reads);
    return readingsOf({ stoa_database_size_bytes: Number(rows[0]?.bytes) });
  }

  protected async finish(): Promise<void> {
    await this.#upkeep.close();
    await this.#others.close();
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
    if (this.#others.isBarred) throw unavailable(new Error('A move uses the database.'));
  }
}
