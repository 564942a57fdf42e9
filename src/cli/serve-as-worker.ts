import type { Config } from '../config.ts';
import { openStoreOfWorker } from '../open-store.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { noticesTo, throwLost } from './ending.ts';
import { openLogger } from './logger.ts';
import { openService } from './open-service.ts';
import { openPrimary } from './primary-link.ts';

/** Serves as one of several worker processes. The primary has started this process, greets for it, and stops it. */
export async function serveAsWorker(config: Config): Promise<void> {
  const logger = await openLogger(config.logLevel);
  const primary = openPrimary();
  await primary.call('ready', null);
  const options = { onLost: throwLost, notice: noticesTo(logger) };
  const store = await openStoreOfWorker(config.database, primary, options);
  const hashing = HashingPool.ofWorker(config.workers);
  await openService({ config, logger, store, hashing, workers: { count: config.workers, primary } });
}
