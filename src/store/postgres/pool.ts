import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { unavailable } from '../../domain/failure.ts';
import { type Reading, readingsBy, readingsOf } from '../../domain/metrics.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import { isThisMachine } from '../../domain/source.ts';
import { isReadOnly } from './errors.ts';
import { control, isConnectionLost, type Lender, parserOf, type Statement } from './pipeline/index.ts';
import { placeOf } from './place.ts';

/** A request waits this long for a connection, new or used, before it gets 503. */
export const ACQUIRE_MS = 2_000;
/** The limit of each statement in a write or a short read. Long reads have their own. */
const STATEMENT_MS = 3_000;
const LOCK_MS = 2_000;
/** The server ends a transaction after this long without a statement, so that a dead client keeps no locks. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/**
 * The server itself ends slow statements. We wait this much longer before we consider the server silent
 * (docs/decisions/store.md).
 */
export const GRACE_MS = 250;
const KEEP_ALIVE_MS = 10_000;

export interface PoolOptions {
  readonly url: string;
  /** A pooler in transaction mode, which lends its connections for one transaction each. */
  readonly poolerUrl?: string | undefined;
  readonly size: number;
  /** How many times as long as here each wait for a connection, a statement or a lock may take; 1 unless told. */
  readonly patience?: number | undefined;
}

/** The settings of every connection to the database. Fails with OperatorError if it would lack TLS (`requireTls`). */
export function clientConfig(url: string, patience = 1): ClientConfig {
  const config = {
    connectionString: url,
    application_name: 'stoa',
    connectionTimeoutMillis: patience * ACQUIRE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser },
  };
  requireTls(url, config);
  return config;
}

const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  format === 'binary' ? types.getTypeParser(oid, format) : parserOf(oid)) as typeof types.getTypeParser;

/**
 * The connections of one instance. `acquire` fails with `unavailable` within ACQUIRE_MS. A connection that broke in use
 * is closed when it is returned, and idle ones that break are dropped.
 */
export class ConnectionPool implements Lender {
  readonly #pool: Pool;
  readonly limits: readonly Statement[];
  #refused = 0;

  constructor({ url, poolerUrl, size, patience = 1 }: PoolOptions) {
    // What is set behind a pooler in transaction mode would stay on a connection that others get.
    this.limits =
      poolerUrl === undefined ? [] : [control(timeLimits(patience, 'transaction'), 'stoa_limits')];
    this.#pool = new Pool({
      ...clientConfig(poolerUrl ?? url, patience),
      max: size,
      query_timeout: patience * STATEMENT_MS + GRACE_MS,
      onConnect: async (client: ClientBase) => {
        await refuseStandby(client);
        if (poolerUrl === undefined) await client.query(timeLimits(patience, 'session'));
      },
    });
    // An idle connection failed. The pool has dropped it already.
    this.#pool.on('error', () => {});
    // A connection failed between two statements of a transaction. The next statement reports that.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async acquire(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      this.#refused++;
      throw unavailable(error);
    }
  }

  release(client: ClientBase, error?: unknown): void {
    (client as PoolClient).release(isConnectionLost(error) || isReadOnly(error));
  }

  /** Lends a connection for some work, until the work is done. */
  async lend<Output>(work: (client: ClientBase) => Promise<Output>): Promise<Output> {
    const client = await this.acquire();
    let problem: unknown;
    try {
      return await work(client);
    } catch (error) {
      problem = error;
      throw error;
    } finally {
      this.release(client, problem);
    }
  }

  get readings(): readonly Reading[] {
    const { totalCount, idleCount: idle, waitingCount } = this.#pool;
    return [
      ...readingsBy('stoa_pool_connections', 'state', { busy: totalCount - idle, idle }),
      ...readingsOf({ stoa_pool_waiting: waitingCount, stoa_pool_refused_total: this.#refused }),
    ];
  }

  /** Waits for the connections in use, and closes all connections. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** As a statement, because poolers refuse or drop such parameters at the start of a connection. */
function timeLimits(patience: number, until: 'session' | 'transaction'): string {
  const limits = Object.entries({
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  });
  const set = limits.map(
    ([name, limit]) => `set_config('${name}', '${patience * limit}', ${until === 'transaction'})`,
  );
  return `select ${set.join(', ')}`;
}

/** Rows are only read from the primary: a standby may not have the last changes yet. */
export async function refuseStandby(client: ClientBase): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby === true) {
    throw new OperatorError('The database is a standby; Stoa works on the primary.');
  }
}

/**
 * Fails with OperatorError if the database is on another machine and would be reached without TLS, unless the URL has
 * `sslmode=disable`. By default `pg` uses no TLS and gives no warning.
 */
export function requireTls(url: string, config: ClientConfig): void {
  // This resolves the URL, PGHOST and PGSSLMODE as `pg` does, without connecting.
  const { host, ssl } = new Client(config);
  // A host that begins with a slash is the folder of a socket.
  if (ssl || host.startsWith('/') || isThisMachine(host)) return;
  if (new URL(url).searchParams.get('sslmode') === 'disable') return;
  throw new OperatorError(
    `The database ${placeOf(url)} is on another machine and would be reached without TLS; add ?sslmode=verify-full to its URL (with &sslrootcert=<file> for a CA of your own), or ?sslmode=disable if you trust the network.`,
  );
}
