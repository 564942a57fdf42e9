import { hash } from 'node:crypto';

/** What the database holds of a token, and the memory too. SHA-256 without salt is enough for 256 random bits. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
