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
import type { Store } from '../store/store.ts';
import type { JwkSet } from './contract.ts';
import { keepFirstSigningKey, listSigningKeys, type StoredKey } from './signing-keys.ts';

/** EdDSA over Ed25519 (RFC 8037): small keys, small signatures, one algorithm and no choice for an attacker. */
export const ALGORITHM = 'EdDSA';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: CryptoKey;
  /** What /.well-known/jwks.json shows of it. */
  readonly publicJwk: Static<typeof JwkSet>['keys'][number];
}

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
