import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import { openStore, requireKey } from '../open-store.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { noticesTo, throwLost } from './ending.ts';
import { greet, logListening } from './greeting.ts';
import { openLogger } from './logger.ts';
import { openService } from './open-service.ts';

/** Serves in this process, which is the whole service. */
export async function serveAlone(config: Config): Promise<void> {
  const logger = await openLogger(config.logLevel);
  const notice = noticesTo(logger);
  const beforeUpgrade = requireKey(config, notice);
  const options = { user: 'server', onLost: throwLost, notice, beforeUpgrade } as const;
  const store = await openStore(config.database, options);
  const app = await openService({ config, logger, store, hashing: new HashingPool() });
  const { port } = app.server.address() as AddressInfo;
  await greet(config, store, port);
  logListening(logger, config, port);
}
