import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Job } from '../../domain/jobs.ts';
import { restFor } from '../../domain/rest.ts';
import { type Announcement, isAnnouncement } from '../announcements.ts';
import type { Db } from '../tables.ts';
import { connectForUse, MoveUnderWay } from './connect.ts';
import { isSilence } from './pipeline/index.ts';

/** The channel and its messages (`Message`) keep the names that instances of version 0.1.0 use. */
const CHANNEL = 'stoa_changes';
/** The pause between two attempts to listen. A connection that is lost meanwhile is noticed after the pause. */
const PAUSE_MS = 250;
/** After this pause a LISTEN checks that the server is alive. It changes nothing if we listen already. */
const LOOK_MS = 500;
/** A server whose packets are lost for a while is tried again soon. */
const PATIENCE = 1;
const LISTEN = { text: `LISTEN ${CHANNEL}`, query_timeout: 3_000 };

/** A message between instances. The sender's own listeners have the announcement already. */
interface Message {
  readonly sender: string;
  readonly change: Announcement;
}

/** A connection that listens. `lost` rejects when the connection is lost. */
interface Listening {
  readonly client: Client;
  readonly lost: Promise<never>;
  isLost: boolean;
  hasBegun: boolean;
}

/**
 * Receives what other instances announce, over a connection of its own (LISTEN), and tells this process. The same
 * connection holds the lock by which moves see that the database is in use. What was announced while the connection was
 * lost cannot be received, so after a reconnection this process is told 'anything'.
 *
 * The connection is outside of the pool. So it can check the server even if the pool is busy, and notices when the
 * server falls silent (docs/decisions/store.md).
 */
export class AnnouncementListener {
  readonly #url: string;
  readonly #tell: (announcements: readonly Announcement[]) => void;
  readonly #onSilence: () => void;
  readonly #self = randomUUID();
  #first: Client | undefined;
  #listening: Listening | undefined;
  #isBarred = false;

  /**
   * Listens first over `client`, a connection for use (`connectForUse`), which it ends. Calls `tell` with what it
   * hears, and `onSilence` when the server keeps its connections but answers nothing.
   */
  constructor(
    url: string,
    client: Client,
    tell: (announcements: readonly Announcement[]) => void,
    onSilence: () => void,
  ) {
    this.#url = url;
    this.#first = client;
    this.#tell = tell;
    this.#onSilence = onSilence;
  }

  /**
   * True where the last attempt to connect found a move. A move can begin once the listening connection is lost. Until
   * the next attempt, other connections of this instance may still write.
   */
  get isBarred(): boolean {
    return this.#isBarred;
  }

  /** Connects and listens, again whenever the connection is lost. Each run ends with a check of the server. */
  readonly job: Job = {
    name: 'listening to other instances',
    every: PAUSE_MS,
    run: (stopping) => this.#listen(stopping),
  };

  /** Sends the announcement to all other instances when the write commits. A write that fails sends nothing. */
  readonly send = async (db: Db, change: Announcement): Promise<void> => {
    const message: Message = { sender: this.#self, change };
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(db);
  };

  /** Called after the last run of the job. */
  async close(): Promise<void> {
    await this.#drop(this.#first);
    await this.#drop(this.#listening?.client);
  }

  /** One run of the job. Rejects if there is no connection, or if it is lost. */
  async #listen(stopping: AbortSignal): Promise<void> {
    if (this.#listening?.isLost !== false) this.#listening = this.#watch(await this.#connect());
    const { client, lost, hasBegun } = this.#listening;
    try {
      if (hasBegun) await Promise.race([lost, restFor(LOOK_MS, stopping)]);
      await client.query(LISTEN);
      if (!hasBegun) this.#tell(['anything']);
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
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    return listening;
  }

  async #connect(): Promise<Client> {
    try {
      const client = this.#first ?? (await connectForUse(this.#url, PATIENCE));
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

  #hear(payload: string): void {
    const { sender, change } = messageIn(payload);
    if (sender !== this.#self) this.#tell([change]);
  }
}

/** Checked, because an instance of another version may send anything. */
function messageIn(payload: string): Message {
  try {
    const { sender, change } = Object(JSON.parse(payload)) as { sender?: unknown; change?: unknown };
    return { sender: String(sender), change: isAnnouncement(change) ? change : 'anything' };
  } catch {
    return { sender: '', change: 'anything' };
  }
}
