import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/**
 * On SQLite the list for admins is ordered by the last sign-in from an index. An account that never signed in has 0.
 *
 * PostgreSQL has no such index, and sorts. A sign-in changes this column only, so its new row is mostly put beside the
 * old one (HOT), and no index changes. With an index of the column, each sign-in would write all index entries of the
 * account, those of the trigrams too: 0.78 ms of processor time instead of 0.16, and 32 KB of log instead of 9.
 */
export const signInOrder: Migration = {
  name: '0047_sign_in_order',
  effect: {
    sqlite: { does: 'Makes the index of accounts by their last sign-in.', reads: ['users'] },
    postgres: NOT_HERE,
  },
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? ['CREATE INDEX users_last_sign_in ON users (coalesce(last_sign_in_at, 0), id)']
      : [],
};
