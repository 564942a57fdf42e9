import type { Migration } from '../store/migration.ts';

/**
 * The name that an owner gives a session, or NULL. Not called `name`, because a session is read together with its row
 * of `personal_tokens`, which has a column of that name. Like `device`, it has no index, so on PostgreSQL a rotation
 * stays within its page (HOT).
 */
export const sessionNames: Migration = {
  name: '0023_session_names',
  effect: { does: 'Adds the name of a session.', stops: { sessions: 'all' } },
  statements: () => ['ALTER TABLE sessions ADD COLUMN label TEXT'],
};
