import type { Server } from 'node:http';
import { after } from 'node:test';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { App } from '../../src/http/server.ts';
import { openSealingOf } from '../../src/open-sealing.ts';
import { openStore } from '../../src/open-store.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import type { Sealing } from '../../src/services/sealing/sealing.ts';
import type { Store } from '../../src/store/store.ts';
import { type Lifetime, PATIENCE, type TestEngine } from './engines.ts';
import { fewAtOnce } from './few-at-once.ts';
import { withSealingKey } from './sealing.ts';

/** The service, assembled as `stoa serve` assembles it, on a port of its own. */
export interface RunningService {
  readonly url: string;
  readonly store: Store;
  /** Seals and opens with the key of the service. */
  readonly sealing: Sealing;
  readonly server: Server;
  /** Moves the clock of the service forward. */
  readonly passTime: (milliseconds: number) => void;
  /** Closes the HTTP service, and leaves its store open until the test ends. */
  readonly close: () => Promise<void>;
  /** Everything that was logged, one JSON text per line. */
  readonly log: readonly string[];
  /** Stops the service before its test ends; its database stays. */
  readonly stop: () => Promise<void>;
}

/** What a test may have different from `stoa serve`. Everything else is the same. */
export interface Differences {
  /** Sees the server before it has routes. */
  readonly beforeRoutes?: (bare: App) => Promise<void>;
  /** Stands between the service and its store (`observed`). */
  readonly wrap?: (store: Store) => Store;
  /** Milliseconds since 1970, before `passTime`; the clock of the machine unless given. */
  readonly clock?: () => number;
  /** The threads that hash passwords; `cheapHashing` unless given. */
  readonly hashing?: HashingPool;
  /** 1 for the time limits of `stoa serve`; otherwise they are ten times as long. */
  readonly patience?: number;
}

/** One for all services of a test file, and cheap: most tests are not about the hash of a password. */
export const cheapHashing = new HashingPool(1, new URL('./cheap-hashing-thread.ts', import.meta.url));
after(() => cheapHashing.close());

/**
 * Connections of a service. Its jobs begin at once and open as many as it may have, and PostgreSQL pays 50 ms for each:
 * to start it, to read its catalogs and to plan each statement again. Tests of a pool's size or queue name their own.
 */
const DATABASE_POOL = '4';

/** Tests of one file run at once: were all to start a service at once, the last would wait for seconds in each step. */
const inTurn = fewAtOnce(4);

/** Starts the service on a database of its own; it stops when the test ends. */
export function startService(
  t: Lifetime,
  engine: TestEngine,
  settings: Record<string, string> = {},
  differences: Differences = {},
): Promise<RunningService> {
  return inTurn(() => start(t, engine, settings, differences));
}

/** As `startService`, on a database that is there already, by its settings: commands or other instances use it too. */
export function startHere(t: Lifetime, settings: Record<string, string>): Promise<RunningService> {
  return startService(t, { name: 'given', settings: async () => settings });
}

/** The store of another instance on a database of PostgreSQL. The caller closes it. */
export function openInstance(url: string, poolSize = 4): Promise<Store> {
  return openStore({ kind: 'postgres', url, poolSize }, { notice: () => {}, patience: PATIENCE });
}

async function start(
  t: Lifetime,
  engine: TestEngine,
  settings: Record<string, string>,
  {
    beforeRoutes,
    wrap = (store) => store,
    clock = Date.now,
    hashing = cheapHashing,
    patience = PATIENCE,
  }: Differences,
): Promise<RunningService> {
  // The `after` functions of a test run in the order of their calls, and the service must stop before its database
  // is removed.
  let stop = async () => {};
  t.after(() => stop());
  const config = readConfig({
    PORT: '0',
    DATABASE_POOL,
    ...withSealingKey({ ...(await engine.settings(t)), ...settings }),
  });
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) });
  let ahead = 0;
  const notice = (message: string, err: unknown) => logger.warn({ err }, message);
  const store = await openStore(config.database, { notice, patience });
  const app = await buildApp({
    config,
    store: wrap(store),
    hashing,
    logger,
    clock: () => clock() + ahead,
    ...(beforeRoutes ? { beforeRoutes } : {}),
  }).catch(async (error) => {
    await store.close();
    throw error;
  });
  let stopped: Promise<void> | undefined;
  stop = () => {
    stopped ??= (async () => {
      await app.close();
      await store.close();
    })();
    return stopped;
  };
  const url = await app.listen({ host: config.host, port: config.port });
  return {
    url,
    store,
    sealing: await openSealingOf(config, store, { isCommand: true }),
    server: app.server,
    log,
    close: async () => {
      await app.close();
    },
    passTime: (milliseconds) => {
      ahead += milliseconds;
    },
    stop: () => stop(),
  };
}
