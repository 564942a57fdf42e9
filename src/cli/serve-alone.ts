import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { greet, logListening } from './greeting.ts';
import { openLogger } from './logger.ts';
import { openServerStore } from './open-server-store.ts';
import { openService } from './open-service.ts';

/** Serves in this process, which is the whole service. */
export async function serveAlone(config: Config): Promise<void> {
  const logger = await openLogger(config.logLevel);
  const store = await openServerStore(config, logger);
  const app = await openService({ config, logger, store, hashing: new HashingPool() });
  const { port } = app.server.address() as AddressInfo;
  await greet(config, store, port);
  logListening(logger, config, port);
}
