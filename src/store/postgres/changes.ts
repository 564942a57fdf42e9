import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Job } from '../../domain/jobs.ts';
import type { Change } from '../operation.ts';
import type { Db } from '../tables.ts';
import { connectForUse, MoveUnderWay } from './connect.ts';

const CHANNEL = 'stoa_changes';
/** The pause between two tries to listen. A connection that is lost meanwhile is noticed after the pause. */
const PAUSE_MS = 250;
/**
 * After this rest, the server is asked for a sign of life by a LISTEN, which changes nothing where we listen
 * already.
 */
const LOOK_MS = 500;
const LISTEN = { text: `LISTEN ${CHANNEL}`, query_timeout: 3_000 };

/** Tells every instance, this one too, when the write commits. A write that fails tells nobody. */
export async function publish(db: Db, change: Change): Promise<void> {
  const payload = change === 'anything' ? '' : change.key;
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

/** A connection that listens. `lost` rejects when the connection is gone. */
interface Listening {
  readonly client: Client;
  readonly lost: Promise<never>;
  isLost: boolean;
  hasBegun: boolean;
}

/**
 * Hears what any instance publishes, over a connection of its own (LISTEN). The same connection holds the lock that
 * tells moves that the database is in use. What was published while the connection was lost cannot be heard any
 * more, so after a reconnection the listeners are told that anything may have changed.
 *
 * The connection is outside of the pool. So it can ask for a sign of life however busy the pool is, and notices when
 * the server falls silent (decisions 0037).
 */
export class ChangeListener {
  readonly #url: string;
  readonly #onSilence: () => void;
  readonly #listeners: ((change: Change) => void)[] = [];
  #first: Client | undefined;
  #listening: Listening | undefined;
  #isBarred = false;

  /**
   * Listens first over `client`, a connection for use (`connectForUse`), which it ends. Calls `onSilence` when
   * the server keeps its connections and answers nothing.
   */
  constructor(url: string, client: Client, onSilence: () => void) {
    this.#url = url;
    this.#first = client;
    this.#onSilence = onSilence;
  }

  /** True while a move has the database. A move can only get it after this instance has lost its connections. */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  /** Connects and listens, again whenever the connection is lost. Each run ends with a sign of life. */
  readonly job: Job = {
    name: 'listening to other instances',
    every: PAUSE_MS,
    run: (stopping) => this.#listen(stopping),
  };

  add(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Called after the last run of the job. */
  async close(): Promise<void> {
    await this.#drop(this.#first);
    await this.#drop(this.#listening?.client);
  }

  /** One run of the job. Rejects where there is no connection, or it is lost. */
  async #listen(stopping: AbortSignal): Promise<void> {
    if (this.#listening?.isLost !== false) this.#listening = this.#watch(await this.#connect());
    const { client, lost, hasBegun } = this.#listening;
    try {
      if (hasBegun) await Promise.race([lost, restFor(LOOK_MS, stopping)]);
      await client.query(LISTEN);
      if (!hasBegun) this.#tell('anything');
      this.#listening.hasBegun = true;
    } catch (error) {
      if (isSilence(error)) this.#onSilence();
      this.#listening = undefined;
      await this.#drop(client);
      throw error;
    }
  }

  #watch(client: Client): Listening {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => {});
    const listening: Listening = { client, lost, isLost: false, hasBegun: false };
    const lose = (error: Error) => {
      listening.isLost = true;
      reject(error);
    };
    client.on('error', lose);
    client.on('end', () => lose(new Error('The connection ended.')));
    client.on('notification', ({ payload = '' }) =>
      this.#tell(payload === '' ? 'anything' : { key: payload }),
    );
    return listening;
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

  async #drop(client: Client | undefined): Promise<void> {
    await client?.end().catch(() => {});
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** Resolves sooner when the signal says stop. */
function restFor(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return pause(milliseconds, undefined, { signal: stopping, ref: false }).catch(() => {});
}

/** What `pg` says when its time limit for a query has passed. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
