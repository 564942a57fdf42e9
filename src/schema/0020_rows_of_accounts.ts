import type { Migration } from '../store/migration.ts';

/**
 * Indexes that find the rows of one account.
 *
 * - `sessions_user` has the id too, because an export reads the sessions of an account in pages, by id.
 * - `sessions_ended` finds the sessions that ended first, which a sign-in removes. It has no living sessions.
 * - `mails.account_id` is the account that a mail names or is for. The mail is removed with the account, whatever its
 *   address. NULL for a mail to a person without an account.
 */
export const rowsOfAccounts: Migration = {
  name: '0020_rows_of_accounts',
  effect: {
    does: 'Adds the account of a mail, and indexes that find the rows of one account.',
    stops: { sessions: 'all', mails: 'all', users: 'writes' },
    reads: ['sessions', 'mails'],
  },
  statements: ({ integer }) => [
    'DROP INDEX sessions_user',
    'CREATE INDEX sessions_user ON sessions (user_id, id)',
    'CREATE INDEX sessions_ended ON sessions (user_id, ended_at, id) WHERE ended_at IS NOT NULL',
    `ALTER TABLE mails ADD COLUMN account_id ${integer} REFERENCES users (id) ON DELETE CASCADE`,
    'CREATE INDEX mails_account ON mails (account_id) WHERE account_id IS NOT NULL',
  ],
};
