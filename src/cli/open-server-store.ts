import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { requireKey } from '../open-sealing.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { noticesTo, throwLost } from './ending.ts';
import { freePort } from './free-port.ts';

/**
 * The store of a service. Its start changes the tables of an earlier version, once it has the sealing key and its port is
 * free: the instance of that version may still run, and a start that failed afterwards would leave it with other tables.
 */
export function openServerStore(config: Config, logger: Logger): Promise<Store> {
  const notice = noticesTo(logger);
  const withKey = requireKey(config, notice);
  const beforeUpgrade = async (db: Db) => {
    await withKey(db);
    await freePort(config);
  };
  return openStore(config.database, { user: 'server', onLost: throwLost, notice, beforeUpgrade });
}
