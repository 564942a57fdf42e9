import type { Migration } from '../store/migration.ts';

/**
 * Finds authenticator apps by their account, for the list of factors, a reset, and the removal of an account. Without
 * the index each of these would read the whole table.
 */
export const totpOwners: Migration = {
  name: '0025_totp_owners',
  effect: {
    does: 'Makes an index of authenticator apps by account.',
    stops: { totp_secrets: 'writes' },
    reads: ['totp_secrets'],
  },
  statements: () => ['CREATE INDEX totp_secrets_user ON totp_secrets (user_id)'],
};
