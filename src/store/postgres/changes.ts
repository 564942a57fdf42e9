import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Change } from '../operation.ts';
import type { Notice } from '../store.ts';
import type { Db } from '../tables.ts';
import { connectForUse, MoveUnderWay } from './connect.ts';

const CHANNEL = 'stoa_changes';
/** Between two tries to listen again. */
const PAUSE_MS = 250;

/** Tells every instance, this one too, when the write commits; a write that fails tells nobody. */
export async function announce(db: Db, change: Change): Promise<void> {
  const payload = change === 'anything' ? '' : change.session;
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

/**
 * Hears what any instance announces, over a connection of its own (LISTEN), which also tells moves that
 * the database is in use. Announcements made while that was lost are gone, so after listening again it
 * reports that anything may have changed.
 */
export class ChangeListener {
  readonly #url: string;
  readonly #notice: Notice;
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #isBarred = false;

  /** Listens first over `client`, a connection for use (`connectForUse`), which it ends. */
  constructor(url: string, client: Client, notice: Notice) {
    this.#url = url;
    this.#notice = notice;
    this.#running = this.#listenAlways(client);
  }

  /** True while a move has the database, which it can only get when this instance lost its connections. */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  add(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #listenAlways(first: Client): Promise<void> {
    let wasListening = true;
    const { signal } = this.#stopped;
    for (let client: Client | undefined = first; !signal.aborted; client = undefined) {
      try {
        await this.#listen(client ?? (await connectForUse(this.#url)), signal, () => {
          wasListening = true;
        });
      } catch (error) {
        this.#isBarred = error instanceof MoveUnderWay;
        if (wasListening) this.#notice('not listening to other instances; trying again', error);
        wasListening = false;
      }
      await pause(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Rejects when the connection is lost; resolves when the signal says stop. Ends the connection. */
  async #listen(client: Client, signal: AbortSignal, onListening: () => void): Promise<void> {
    const lost = Promise.withResolvers<void>();
    lost.promise.catch(() => {});
    client.on('error', lost.reject);
    client.on('end', () => lost.reject(new Error('The connection ended.')));
    client.on('notification', ({ payload = '' }) =>
      this.#tell(payload === '' ? 'anything' : { session: payload }),
    );
    signal.addEventListener('abort', () => lost.resolve(), { once: true });
    try {
      await client.query(`LISTEN ${CHANNEL}`);
      if (signal.aborted) return;
      this.#isBarred = false;
      onListening();
      this.#tell('anything');
      await lost.promise;
    } finally {
      await client.end().catch(() => {});
    }
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
