import { hash } from 'node:crypto';

/**
 * The hash of a token, which the database and the memory hold instead. SHA-256 without salt is enough for 256 random
 * bits.
 */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
