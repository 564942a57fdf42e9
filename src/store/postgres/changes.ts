import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Job } from '../../domain/jobs.ts';
import type { Change } from '../operation.ts';
import type { Db } from '../tables.ts';
import { connectForUse, MoveUnderWay } from './connect.ts';

const CHANNEL = 'stoa_changes';
/** Between two tries to listen again. */
const PAUSE_MS = 250;

/** Tells every instance, this one too, when the write commits; a write that fails tells nobody. */
export async function publish(db: Db, change: Change): Promise<void> {
  const payload = change === 'anything' ? '' : change.key;
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

/**
 * Hears what any instance publishes, over a connection of its own (LISTEN), which also tells moves that the
 * database is in use. What was published while that connection was lost is gone, so after listening again
 * it reports that anything may have changed.
 */
export class ChangeListener {
  readonly #url: string;
  readonly #listeners: ((change: Change) => void)[] = [];
  #first: Client | undefined;
  #isBarred = false;

  /** Listens first over `client`, a connection for use (`connectForUse`), which it ends. */
  constructor(url: string, client: Client) {
    this.#url = url;
    this.#first = client;
  }

  /** True while a move has the database, which it can only get when this instance lost its connections. */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  /** Listens for as long as it can; begun anew whenever the connection is lost. */
  readonly job: Job = {
    name: 'listening to other instances',
    every: PAUSE_MS,
    run: (stopping) => this.#listen(stopping),
  };

  add(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Ends the connection where the job never began. */
  async close(): Promise<void> {
    await this.#first?.end().catch(() => {});
  }

  /** Rejects when there is no connection, or it is lost; resolves when the signal says stop. */
  async #listen(stopping: AbortSignal): Promise<void> {
    const client = await this.#connect();
    const lost = Promise.withResolvers<void>();
    lost.promise.catch(() => {});
    client.on('error', lost.reject);
    client.on('end', () => lost.reject(new Error('The connection ended.')));
    client.on('notification', ({ payload = '' }) =>
      this.#tell(payload === '' ? 'anything' : { key: payload }),
    );
    stopping.addEventListener('abort', () => lost.resolve(), { once: true });
    try {
      await client.query(`LISTEN ${CHANNEL}`);
      this.#tell('anything');
      if (!stopping.aborted) await lost.promise;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async #connect(): Promise<Client> {
    try {
      const client = this.#first ?? (await connectForUse(this.#url));
      this.#first = undefined;
      this.#isBarred = false;
      return client;
    } catch (error) {
      this.#isBarred = error instanceof MoveUnderWay;
      throw error;
    }
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
