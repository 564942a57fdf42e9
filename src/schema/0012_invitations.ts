import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Mailed invitations (docs/decisions/addresses-and-mail.md). `token_hash` is the SHA-256 of 256 random bits, which are
 * only in the mail. An address has at most one: a new one replaces the earlier one.
 */
export const invitations: Migration = {
  name: '0012_invitations',
  effect: OF_FIRST_BUILDS,
  statements: ({ id, integer, key, tableOptions }) => [
    `CREATE TABLE invitations (
      id ${id},
      token_hash ${key} NOT NULL,
      email TEXT NOT NULL,
      email_key ${key} NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('member', 'editor', 'admin')),
      invited_by ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      CONSTRAINT invitations_token_hash UNIQUE (token_hash),
      CONSTRAINT invitations_email_key UNIQUE (email_key)
    )${tableOptions}`,
    'CREATE INDEX invitations_inviter ON invitations (invited_by)',
    'CREATE INDEX invitations_expiry ON invitations (expires_at)',
  ],
};
