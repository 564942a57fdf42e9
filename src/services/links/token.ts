import { randomBytes } from 'node:crypto';
import { hashOfToken } from '../../domain/token-hash.ts';
import { placeOfMailSecret } from '../mail/queue.ts';
import { type SealedSecret, sealSecret } from '../sealing/sealed-secret.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { PURPOSES, type Purpose } from './purposes.ts';

const BYTES = 32;

/** A link as a write needs it: the hash of its token for the database, and the sealed token for its mail. */
export interface NewLink {
  readonly tokenHash: string;
  readonly secret: SealedSecret;
}

/** A token of 256 random bits, and the hash that the database stores. */
export function newToken(prefix: string): { readonly token: string; readonly tokenHash: string } {
  const token = prefix + randomBytes(BYTES).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** Makes a link before the write, because only the main thread has the sealing key. */
export function newLink(sealing: Sealing, purpose: Purpose): NewLink {
  const { token, tokenHash } = newToken(PURPOSES[purpose].prefix);
  return { tokenHash, secret: sealSecret(sealing, placeOfMailSecret, token) };
}
