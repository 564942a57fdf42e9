import { randomBytes } from 'node:crypto';
import { hashOfToken } from '../../domain/token-hash.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { type SealedSecret, sealSecret } from './queue.ts';

const BYTES = 32;

/** What the link is for, recognisable to scanners that look for leaked secrets. */
type Prefix = 'stoa_pr_' | 'stoa_el_' | 'stoa_in_';

/** A link as a write needs it: what the database keeps of it, and the token for its mail. */
export interface NewLink {
  readonly tokenHash: string;
  readonly secret: SealedSecret;
}

/** A new link of 256 random bits, made before the write, in the one thread that has the sealing key. */
export function newLink(sealing: Sealing, prefix: Prefix): NewLink {
  const token = prefix + randomBytes(BYTES).toString('base64url');
  return { tokenHash: hashOfToken(token), secret: sealSecret(sealing, token) };
}
