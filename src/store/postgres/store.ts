import { sql } from 'kysely';
import type { Client } from 'pg';
import { isStorageReadOnly, unavailable } from '../../domain/failure.ts';
import { JobRunner } from '../../domain/jobs.ts';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Announcement } from '../announcements.ts';
import type { ReadOperation, WriteOperation } from '../operation.ts';
import { SharedReads } from '../shared-reads.ts';
import type { Store } from '../store.ts';
import { StoreBase } from '../store-base.ts';
import type { Db } from '../tables.ts';
import { WriteTrouble } from '../write-trouble.ts';
import { AnnouncementListener } from './announcements.ts';
import { connectForUse } from './connect.ts';
import { sumUpCounts } from './counts.ts';
import { kyselyOn, kyselyOnClient, postgresEngine, statementNames } from './dialect.ts';
import { isTableMissing } from './errors.ts';
import { longRead } from './long-read.ts';
import { PipelinedConnections } from './pipeline/index.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';
import { requirePooler } from './pooler.ts';
import { Silence } from './silence.ts';
import { makingStatistics } from './statistics.ts';
import { retried } from './transaction.ts';
import { Transactions } from './transactions.ts';

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
  readonly #transactions: Transactions;
  readonly #others: AnnouncementListener;
  readonly #patience: number;
  readonly #silence = new Silence();
  readonly #idle: (() => void)[] = [];
  #underWay = 0;
  readonly #trouble = new WriteTrouble(() => this.#takesWrites(), FULL_MS);
  readonly #upkeep: JobRunner;

  constructor(options: PostgresOptions, client: Client, pool: ConnectionPool, notice: Notice) {
    super();
    this.#pool = pool;
    const { patience = 1, size } = options;
    this.#patience = patience;
    this.#pipelinedReads = new PipelinedConnections(this.#pool, { isWriting: false, patience });
    this.#reads = kyselyOn(this.#pipelinedReads, this.#names);
    this.#oneStatementWrites = kyselyOn(
      new PipelinedConnections(this.#pool, { isWriting: true, patience }),
      this.#names,
    );
    const tell = (announcements: readonly Announcement[]) => this.tell(announcements);
    this.#others = new AnnouncementListener(options.url, client, tell, () => this.#silence.note());
    const { send } = this.#others;
    this.#transactions = new Transactions(
      { pool, names: this.#names, silence: this.#silence, send, tell, patience },
      size,
    );
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
        ? longRead(this.#pool, operation, input, { patience: this.#patience, silence: this.#silence.signal })
        : this.#shared.read(
            operation,
            input,
            () => this.#pipelinedReads.sendings,
            () => operation.run(this.#reads, input, postgresEngine),
          ),
    );
  }

  override write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    return this.#counted(() => super.write(operation, input));
  }

  protected run<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const written = retried(() =>
      operation.isOneStatement
        ? operation.run(this.#oneStatementWrites, input, postgresEngine)
        : this.#transactions.run(operation, input),
    );
    written.catch((error) => this.#trouble.note(error));
    return written;
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
    return [...this.#pool.readings, ...this.#upkeep.readings, ...this.#transactions.readings];
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
