import { randomBytes } from 'node:crypto';
import { hashOfToken } from '../../domain/token-hash.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { type SealedSecret, sealSecret } from './queue.ts';

const BYTES = 32;

/**
 * Of a link to choose a new password that an operator hands over. Who uses it has proved no address, unlike who uses the
 * link of a mail.
 */
export const OPERATOR_LINK = 'stoa_po_';

/** What the link is for, recognisable to scanners that look for leaked secrets. */
type Prefix = 'stoa_pr_' | 'stoa_el_' | 'stoa_in_' | typeof OPERATOR_LINK;

/** A link as a write needs it: what the database keeps of it, and the token for its mail. */
export interface NewLink {
  readonly tokenHash: string;
  readonly secret: SealedSecret;
}

/** The token of a link, 256 random bits, and what the database keeps of it. */
export function newLinkToken(prefix: Prefix): { readonly token: string; readonly tokenHash: string } {
  const token = prefix + randomBytes(BYTES).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** A new link, made before the write, in the one thread that has the sealing key. */
export function newLink(sealing: Sealing, prefix: Prefix): NewLink {
  const { token, tokenHash } = newLinkToken(prefix);
  return { tokenHash, secret: sealSecret(sealing, token) };
}
