import { sql } from 'kysely';
import { unavailable } from '../../domain/failure.ts';
import { repeat } from '../../domain/repeat.ts';
import { IdleWork } from '../idle-work.ts';
import type { Change, ReadOperation, WriteOperation } from '../operation.ts';
import type { Notice, Store } from '../store.ts';
import type { Db } from '../tables.ts';
import { ChangeListener } from './changes.ts';
import { connectForUse } from './connect.ts';
import { indexContent } from './content-search.ts';
import { foldCounts } from './counts.ts';
import { kyselyOn, kyselyOnClient } from './dialect.ts';
import { postgresEngine } from './engine.ts';
import { isConnectionLost } from './errors.ts';
import { Lanes } from './lanes.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';
import { StatementNames } from './statement-names.ts';
import { retried, transaction } from './transaction.ts';

/** Operations lock the rows that they decide by; serializable would make most concurrent inserts run again. */
const BEGIN_WRITE = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
/** A long read sees one snapshot from its first statement to its last, and has more time. */
const BEGIN_LONG_READ = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  'SET LOCAL statement_timeout = 15000',
  'SET LOCAL max_parallel_workers_per_gather = 0',
];
const FOLD_EVERY_MS = 1_000;

/**
 * The store on a PostgreSQL database, which must have the schema of this version. Fails with
 * OperatorError while a move has the database.
 */
export async function openPostgresStore(options: PoolOptions, notice: Notice): Promise<Store> {
  const changes = new ChangeListener(options.url, await connectForUse(options.url), notice);
  return new PostgresStore(options, changes, notice);
}

class PostgresStore implements Store {
  readonly #pool: ConnectionPool;
  readonly #names = new StatementNames();
  /** Short reads, and writes of one statement: each shares its round trip with others that wait. */
  readonly #reads: Db;
  readonly #oneStatementWrites: Db;
  readonly #changes: ChangeListener;
  readonly #idle: (() => void)[] = [];
  #underWay = 0;
  #closing: Promise<void> | undefined;
  readonly #stopFolding: () => Promise<void>;
  readonly #indexing = new IdleWork(() => this.#pool.lend((client) => indexContent(kyselyOnClient(client))), {
    idleMs: 10,
    longestMs: 1_000,
  });

  constructor(options: PoolOptions, changes: ChangeListener, notice: Notice) {
    this.#pool = new ConnectionPool(options);
    this.#reads = kyselyOn(new Lanes(this.#pool, { isWriting: false }), this.#names);
    this.#oneStatementWrites = kyselyOn(new Lanes(this.#pool, { isWriting: true }), this.#names);
    this.#changes = changes;
    this.#stopFolding = repeat(
      () => this.#pool.lend((client) => foldCounts(kyselyOnClient(client))),
      FOLD_EVERY_MS,
      // Whoever asks whether the database answers tells of a connection that is lost.
      (error) => isConnectionLost(error) || notice('counts were not folded', error),
    );
    this.#indexing.expect();
  }

  read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output> {
    if (!operation.isLong(input)) {
      return this.#counted(() => operation.run(this.#reads, input, postgresEngine));
    }
    return this.#counted(() =>
      transaction(this.#pool, BEGIN_LONG_READ, (runner) =>
        operation.run(kyselyOn(runner), input, postgresEngine),
      ),
    );
  }

  write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const written = this.#counted(() =>
      retried(() =>
        operation.isOneStatement
          ? operation.run(this.#oneStatementWrites, input, postgresEngine)
          : transaction(this.#pool, BEGIN_WRITE, (runner) =>
              operation.run(kyselyOn(runner, this.#names), input, postgresEngine),
            ),
      ),
    );
    // Not before: a round that began meanwhile would not see what is not committed yet.
    return written.finally(() => this.#indexing.expect());
  }

  onChange(listener: (change: Change) => void): void {
    this.#changes.add(listener);
  }

  async ping(): Promise<void> {
    this.#requireNoMove();
    await sql`select 1`.execute(this.#reads);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#stopFolding(), this.#changes.close()]);
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#indexing.stop();
    await this.#pool.close();
  }

  /** Keeps count of what is under way, so that closing waits for all of it. */
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
