import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { HashingPool } from '../../src/auth/hashing/pool.ts';
import { readConfig } from '../../src/config.ts';
import type { App } from '../../src/http/server.ts';
import { openStore } from '../../src/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Lifetime, TestEngine } from './engines.ts';

/** The service as it is really assembled, listening on a port of its own. */
export interface RunningService {
  readonly url: string;
  readonly store: Store;
  /** Moves the clock of the service forward. */
  readonly passTime: (milliseconds: number) => void;
  /** Closes the HTTP service, and not what it was put together from; the end of the test does both. */
  readonly close: () => Promise<void>;
  /** Everything that was logged, one JSON text per line. */
  readonly log: readonly string[];
}

/** Starts the service on a database of its own; it stops when the test ends. `onPath` hears of each path. */
export async function startService(
  t: Lifetime,
  engine: TestEngine,
  settings: Record<string, string> = {},
  onPath: (path: string) => void = () => {},
): Promise<RunningService> {
  // Work left to a test runs in the order it was left: the service must stop before its database goes.
  let stop = async () => {};
  t.after(() => stop());
  const config = readConfig({ PORT: '0', ...(await engine.settings(t)), ...settings });
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) });
  let ahead = 0;
  const notice = (message: string, err: unknown) => logger.warn({ err }, message);
  const store = await openStore(config.database, { notice });
  const hashing = new HashingPool();
  const beforeRoutes = async (bare: App) => {
    bare.addHook('onRoute', ({ url }) => onPath(url));
  };
  const clock = () => Date.now() + ahead;
  const app = await buildApp({ config, store, hashing, logger, clock, beforeRoutes });
  stop = async () => {
    await app.close();
    await Promise.all([store.close(), hashing.close()]);
  };
  const url = await app.listen({ host: config.host, port: config.port });
  return {
    url,
    store,
    log,
    close: async () => {
      await app.close();
    },
    passTime: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
