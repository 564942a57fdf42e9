import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * What the list of an account's sessions shows in addition to their times. `device` is the client's description of
 * itself at the sign-in. `address` is that of the last sign-in or refresh. Neither has an index, so on PostgreSQL a
 * rotation stays within its page (HOT). Earlier sessions have neither.
 */
export const sessions: Migration = {
  name: '0007_sessions',
  effect: OF_FIRST_BUILDS,
  statements: () => [
    'ALTER TABLE sessions ADD COLUMN device TEXT',
    'ALTER TABLE sessions ADD COLUMN address TEXT',
  ],
};
