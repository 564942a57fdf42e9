import { generateKey } from '../auth/keys.ts';
import { addSigningKey } from '../auth/signing-keys.ts';
import type { Config } from '../config.ts';
import { withStore } from './with-store.ts';

/** Makes a new signing key; works beside running servers, which sign with it within a second. */
export async function rotateKeys(config: Config): Promise<void> {
  const key = await generateKey();
  await withStore(config, (store) => store.write(addSigningKey, { ...key, created_at: Date.now() }));
  process.stdout.write(
    `New tokens are signed with the key ${key.kid}. Older keys stay until the tokens that they signed have ended.\n`,
  );
}
