import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Static } from 'typebox';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { JwkSet } from './contract.ts';

/** EdDSA over Ed25519 (RFC 8037): small keys, small signatures, one algorithm and no choice for an attacker. */
export const ALGORITHM = 'EdDSA';

interface StoredKey {
  readonly kid: string;
  readonly private_jwk: string;
}

export const listSigningKeys = readOperation(
  'auth.list_signing_keys',
  (db): Promise<StoredKey[]> =>
    db
      .selectFrom('signing_keys')
      .select(['kid', 'private_jwk'])
      .orderBy('created_at')
      .orderBy('kid')
      .execute(),
);

/** Keeps the key if the database has none yet; of several instances that start at once, one key wins. */
export const keepFirstSigningKey = writeOperation(
  'auth.keep_first_signing_key',
  async (db, key: StoredKey & { created_at: number }, engine): Promise<void> => {
    await engine.lock(db, 'signing keys');
    const existing = await db.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst();
    if (!existing) await db.insertInto('signing_keys').values(key).execute();
  },
);

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** What /.well-known/jwks.json shows of it. */
  readonly publicJwk: Static<typeof JwkSet>['keys'][number];
}

/** The keys of the service, oldest first; the newest signs. Makes the first one at the first start. */
export async function loadSigningKeys(store: Store, now: number): Promise<SigningKey[]> {
  let stored = await store.read(listSigningKeys, undefined);
  if (stored.length === 0) {
    await store.write(keepFirstSigningKey, { ...(await generateKey()), created_at: now });
    stored = await store.read(listSigningKeys, undefined);
  }
  return Promise.all(stored.map(parseKey));
}

async function generateKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), private_jwk: JSON.stringify(jwk) };
}

async function parseKey({ kid, private_jwk }: StoredKey): Promise<SigningKey> {
  const privatePart = JSON.parse(private_jwk) as JWK;
  const publicPart = { kty: 'OKP', crv: 'Ed25519', x: privatePart.x ?? '' };
  const [privateKey, publicKey] = await Promise.all([
    importJWK(privatePart, ALGORITHM),
    importJWK(publicPart, ALGORITHM),
  ]);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw new Error(`The signing key ${kid} is not an Ed25519 key.`);
  }
  return { kid, privateKey, publicKey, publicJwk: { ...publicPart, kid, alg: ALGORITHM, use: 'sig' } };
}
