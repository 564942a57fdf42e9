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
import type { Place } from '../services/sealing/seal.ts';
import { keyChanged, type Sealing } from '../services/sealing/sealing.ts';
import type { Store } from '../store/store.ts';
import type { JwkSet } from './contract.ts';
import { keepFirstSigningKey, listSigningKeys, type NewKey, type StoredKey } from './signing-keys.ts';

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
export async function ensureSigningKey(store: Store, sealing: Sealing, now: number): Promise<void> {
  const stored = await store.read(listSigningKeys, null);
  if (stored.length > 0) return;
  if (!(await store.write(keepFirstSigningKey, await generateKey(sealing, now)))) throw keyChanged();
}

/** A new key as it is stored: its private part is sealed. `now` is in milliseconds since 1970. */
export async function generateKey(sealing: Sealing, now: number): Promise<NewKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const private_jwk = sealing.seal(placeOf(kid), JSON.stringify(jwk));
  return { kid, private_jwk, created_at: now, sealedUnder: sealing.check };
}

/** The private part as it was before it was sealed, as JSON. Fails with OperatorError under another key. */
export function openKey(sealing: Sealing, { kid, private_jwk }: StoredKey): string {
  return sealing.unseal(placeOf(kid), private_jwk);
}

/** Unseals a stored key and checks it. Throws where the sealing key is another one or the key is not Ed25519. */
export async function parseKey(sealing: Sealing, stored: StoredKey): Promise<SigningKey> {
  const { kid } = stored;
  const privatePart = JSON.parse(openKey(sealing, stored)) as JWK;
  const publicPart = { kty: 'OKP', crv: 'Ed25519', x: privatePart.x ?? '' };
  const privateKey = createPrivateKey({ key: privatePart as JsonWebKey, format: 'jwk' });
  const publicKey = await importJWK(publicPart, ALGORITHM);
  if (publicKey instanceof Uint8Array) {
    throw new Error(`The signing key ${kid} is not an Ed25519 key.`);
  }
  return { kid, privateKey, publicKey, publicJwk: { ...publicPart, kid, alg: ALGORITHM, use: 'sig' } };
}

function placeOf(kid: string): Place {
  return { table: 'signing_keys', row: kid, column: 'private_jwk' };
}
