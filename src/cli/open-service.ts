import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Workers } from '../domain/workers.ts';
import { drain } from '../http/draining.ts';
import { LIMITS } from '../http/limits.ts';
import type { App } from '../http/server.ts';
import type { HashingPool } from '../passwords/hashing/pool.ts';
import type { Store } from '../store/store.ts';
import { endBySignals } from './ending.ts';
import { endByPrimary, MAY_LISTEN, STOPPED_LISTENING } from './primary-link.ts';

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly store: Store;
  readonly hashing: HashingPool;
  /** Given in a worker, which its primary stops. */
  readonly workers?: Workers;
}

/** Serves in this process until it is stopped. Closes what it was given, also where it cannot serve. */
export async function openService(parts: Parts): Promise<App> {
  const { config, logger, store, hashing, workers } = parts;
  const closeParts = () => Promise.all([hashing.close(), store.close()]);
  const app = await buildApp({ config, store, hashing, logger, workers }).catch(async (error) => {
    await closeParts();
    throw error;
  });
  const close = async () => {
    await app.close();
    await closeParts();
  };
  const listen = async () => {
    await workers?.primary.call(MAY_LISTEN, null);
    await app.listen({ host: config.host, port: config.port, backlog: LIMITS.backlog });
  };
  let listening = Promise.resolve();
  const finish = async (signal: unknown) => {
    // The order to stop may come first, and what does not listen yet cannot stop.
    await listening.catch(() => {});
    if (signal) await drain(app.server, async () => workers?.primary.call(STOPPED_LISTENING, null));
    await close();
  };
  const ending = workers
    ? endByPrimary(workers.primary, { logger, finish, level: 'debug' })
    : endBySignals({ logger, finish });
  try {
    listening = listen();
    await listening;
    // Where a hundred objects of one place in the code outlive a collection, V8 makes all later ones of that place old at
    // once, for as long as the process lives. That is right for what a start makes, but requests that wait on a busy
    // machine are such objects too, and old ones keep young ones. In half of the processes each answer then cost up to 60 % more.
    setFlagsFromString('--no-allocation-site-pretenuring');
    // Otherwise V8 lets old objects, large texts among them, grow up to fourfold before it collects them. While 64
    // strangers asked for large texts, memory grew by 200 MB more.
    setFlagsFromString('--heap-growing-percent=100');
  } catch (error) {
    ending.cancel();
    await close();
    throw error;
  }
  return app;
}
