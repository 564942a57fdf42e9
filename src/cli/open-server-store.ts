import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { openStore, requireKey } from '../open-store.ts';
import type { Store } from '../store/store.ts';
import { noticesTo, throwLost } from './ending.ts';

/** The store of a service. Its start changes the tables of an earlier version, once it has the sealing key. */
export function openServerStore(config: Config, logger: Logger): Promise<Store> {
  const notice = noticesTo(logger);
  const beforeUpgrade = requireKey(config, notice);
  return openStore(config.database, { user: 'server', onLost: throwLost, notice, beforeUpgrade });
}
