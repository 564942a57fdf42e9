import type { Migration } from '../store/migration.ts';

/**
 * What the list of an account's sessions shows beside their times. `device` is what the client told of itself at the
 * sign-in. `address` is where the last sign-in or refresh came from. Neither has an index, so that on PostgreSQL a
 * rotation stays within its page (HOT). Sessions that began before have neither.
 */
export const sessions: Migration = {
  name: '0007_sessions',
  statements: () => [
    'ALTER TABLE sessions ADD COLUMN device TEXT',
    'ALTER TABLE sessions ADD COLUMN address TEXT',
  ],
};
