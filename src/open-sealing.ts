import type { Config } from './config.ts';
import { type Notice, toStderr } from './domain/notice.ts';
import { TABLES } from './features.ts';
import { nameOf } from './open-database.ts';
import { nameOfFittingKey } from './services/sealing/key-name.ts';
import { keyOf, openSealing, type Sealing } from './services/sealing/sealing.ts';
import { CHECK, secretIn } from './services/sealing/secrets.ts';
import type { Store } from './store/store.ts';
import type { Db } from './store/tables.ts';

/** The name of the sealing key that the settings give, if it opens the check of a database. Null if it does not. */
export function fittingKeyName(
  { sealingKey: given, sealingKeyFile: file }: Pick<Config, 'sealingKey' | 'sealingKeyFile'>,
  check: string,
): string | null {
  return nameOfFittingKey({ given, file, notice: toStderr }, check);
}

/**
 * The sealing key of a service and its database (services/sealing). A service makes a key where nothing is sealed yet;
 * a command (`isCommand`) does not. Fails with OperatorError where the key is missing or does not fit.
 */
export function openSealingOf(
  config: Pick<Config, 'database' | 'sealingKey' | 'sealingKeyFile'>,
  store: Store,
  { isCommand = false, notice = toStderr }: { readonly isCommand?: boolean; readonly notice?: Notice } = {},
): Promise<Sealing> {
  const { database, sealingKey: given, sealingKeyFile: file } = config;
  const name = nameOf(database);
  return openSealing(store, { given, file, name, columns: TABLES.sealed, mayMake: !isCommand, notice });
}

/**
 * Fails with OperatorError where the sealing key of the settings is missing or does not fit the database: the start of
 * a new version would fail after it changed the tables, and the version before could not start any more.
 */
export function requireKey(
  config: Pick<Config, 'database' | 'sealingKey' | 'sealingKeyFile'>,
  notice: Notice,
): (db: Db) => Promise<void> {
  const { database, sealingKey: given, sealingKeyFile: file } = config;
  return async (db) => {
    const check = await secretIn(db, CHECK);
    if (check !== null) keyOf({ given, file, name: nameOf(database), notice }, check);
  };
}
