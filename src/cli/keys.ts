import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { openSealingOf } from '../open-sealing.ts';
import { keyChanged } from '../services/sealing/sealing.ts';
import { generateKey } from '../sessions/keys.ts';
import { addSigningKey, revokeSigningKey } from '../sessions/signing-keys.ts';
import { withStore } from './with-store.ts';

/** Makes a new signing key. Running servers sign with it within a second. */
export async function rotateKeys(config: Config): Promise<void> {
  await withStore(config, async (store) => {
    const key = await generateKey(await openSealingOf(config, store, { isCommand: true }), Date.now());
    if (!(await store.write(addSigningKey, key))) throw keyChanged();
    process.stdout.write(
      `New tokens are signed with the key ${key.kid}. Older keys stay until the tokens that they signed have ended.\n`,
    );
  });
}

/**
 * Removes a signing key. Running servers refuse its tokens within a second. If it is the key that signs, a new key
 * replaces it.
 */
export async function revokeKey(config: Config, kid: string): Promise<void> {
  await withStore(config, async (store) => {
    const now = Date.now();
    const successor = await generateKey(await openSealingOf(config, store, { isCommand: true }), now);
    const done = await store.write(revokeSigningKey, { kid, successor, now });
    if (done === 'sealing key changed') throw keyChanged();
    if (done === 'unknown')
      throw new OperatorError(
        `There is no signing key ${kid}; /.well-known/jwks.json of the service has the ids ("kid") of all.`,
      );
    const signsNow = done === 'replaced' ? ` New tokens are signed with the key ${successor.kid}.` : '';
    process.stdout.write(`The key ${kid} is removed, and its tokens are refused.${signsNow}\n`);
  });
}
