import { randomBytes } from 'node:crypto';
import { keyChanged, type Sealing } from '../services/sealing/sealing.ts';
import { findSecret, keepSecret, placeOfSecret } from '../services/sealing/secrets.ts';
import type { Store } from '../store/store.ts';

const NAME = 'token_secret';
const BYTES = 32;

/** The secret behind refresh tokens: made once, and kept sealed in the database. */
export async function loadTokenSecret(store: Store, sealing: Sealing): Promise<Buffer> {
  const place = placeOfSecret(NAME);
  const kept = await store.read(findSecret, NAME);
  if (kept !== null) return Buffer.from(sealing.unseal(place, kept), 'base64url');
  const value = sealing.seal(place, randomBytes(BYTES).toString('base64url'));
  if (!(await store.write(keepSecret, { name: NAME, value, sealedUnder: sealing.check }))) throw keyChanged();
  return loadTokenSecret(store, sealing);
}
