import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { typed } from '../domain/installation.ts';
import { toStderr } from '../domain/notice.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { fittingKeyName, openSealingOf } from '../open-sealing.ts';
import { makeKeyFile } from '../services/sealing/key-file.ts';
import { nextKeyFile } from '../services/sealing/sealing.ts';
import { CHECK, findSecret } from '../services/sealing/secrets.ts';
import { withStore } from './with-store.ts';

/**
 * Seals everything under another key: the key in the file `to`, which is made if it does not exist. Without `to`, a new
 * key replaces the service's own. After a kill at any moment, the service starts with the key under which the database
 * is sealed, the old one or the new one.
 */
export async function reseal(config: Config, to: string | undefined): Promise<void> {
  if (to === undefined && config.sealingKey)
    throw new OperatorError(
      `The key comes from a setting (SEALING_KEY or SEALING_KEY_FILE), which no command can change; name a file for the new key: ${typed('keys reseal --to <file>')}`,
    );
  const file = to === undefined ? nextKeyFile(config.sealingKeyFile) : resolve(to);
  await withStore(config, async (store) => {
    const check = await store.read(findSecret, CHECK);
    const sealing = await openSealingOf(config, store, { isCommand: true });
    const oldKey = check && fittingKeyName(config, check);
    const key = makeKeyFile(file, toStderr);
    if (sealing.isUnder(key))
      throw new OperatorError(`The database is sealed under the key of ${file} already.`);
    await sealing.reseal(store, key, Date.now());
    // Opening with the new key replaces the old key file.
    if (to === undefined) await openSealingOf(config, store, { isCommand: true });
    const done =
      to === undefined
        ? `Everything is sealed under a new key, in ${config.sealingKeyFile}. Copy this file to the other instances, and to your backup of keys.`
        : `Everything is sealed under the key in ${file}. Set SEALING_KEY_FILE to this file, or SEALING_KEY to its content, for every instance, and put it into your backup of keys.`;
    const old = `Backups that were made until now need the old key${oldKey ? ` ${oldKey}` : ''}`;
    const kept =
      to === undefined
        ? `${old}, which is no longer here: only a copy of the old key file has it.`
        : `${old}: keep it for as long as them.`;
    process.stdout.write(`${done}\n${RESTART}\n${kept} Make a backup now, which needs the new key.\n`);
  });
}

const RESTART =
  'Then restart every running instance. Until then it uses what it has opened, and cannot open anything later: a new signing key, or the secret of an authenticator app or of a webhook.';
