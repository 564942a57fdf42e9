import { createPrivateKey, type KeyObject } from 'node:crypto';
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

export interface StoredKey {
  readonly kid: string;
  readonly private_jwk: string;
}

export const listSigningKeys = readOperation(
  'auth.list_signing_keys',
  (db, _: null): Promise<StoredKey[]> =>
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
  readonly privateKey: KeyObject;
  readonly publicKey: CryptoKey;
  /** What /.well-known/jwks.json shows of it. */
  readonly publicJwk: Static<typeof JwkSet>['keys'][number];
}

/** Adds a key that signs from now on. It is the newest even if the clock of this machine is behind. */
export const addSigningKey = writeOperation(
  'auth.add_signing_key',
  async (db, key: StoredKey & { created_at: number }, engine): Promise<void> => {
    await engine.lock(db, 'signing keys');
    const { newest } = await db
      .selectFrom('signing_keys')
      .select((eb) => eb.fn.max('created_at').as('newest'))
      .executeTakeFirstOrThrow();
    const created_at = Math.max(key.created_at, (newest ?? 0) + 1);
    await db
      .insertInto('signing_keys')
      .values({ ...key, created_at })
      .execute();
  },
);

/**
 * Removes the keys whose last tokens have ended: those that were replaced before `replacedBefore`.
 * The newest of all stays, whatever its age.
 */
export const removeOldSigningKeys = writeOperation(
  'auth.remove_old_signing_keys',
  async (db, input: { replacedBefore: number }): Promise<void> => {
    await db
      .deleteFrom('signing_keys')
      .where('created_at', '<', (eb) =>
        eb
          .selectFrom('signing_keys as successor')
          .select((of) => of.fn.max('successor.created_at').as('since'))
          .where('successor.created_at', '<=', input.replacedBefore),
      )
      .execute();
  },
);

/** Keeps a first key where there is none yet. */
export async function ensureSigningKey(store: Store, now: number): Promise<void> {
  const stored = await store.read(listSigningKeys, null);
  if (stored.length > 0) return;
  await store.write(keepFirstSigningKey, { ...(await generateKey()), created_at: now });
}

export async function generateKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), private_jwk: JSON.stringify(jwk) };
}

export async function parseKey({ kid, private_jwk }: StoredKey): Promise<SigningKey> {
  const privatePart = JSON.parse(private_jwk) as JWK;
  const publicPart = { kty: 'OKP', crv: 'Ed25519', x: privatePart.x ?? '' };
  const privateKey = createPrivateKey({ key: privatePart as JsonWebKey, format: 'jwk' });
  const publicKey = await importJWK(publicPart, ALGORITHM);
  if (publicKey instanceof Uint8Array) {
    throw new Error(`The signing key ${kid} is not an Ed25519 key.`);
  }
  return { kid, privateKey, publicKey, publicJwk: { ...publicPart, kid, alg: ALGORITHM, use: 'sig' } };
}
