import type { Migration } from '../store/migration.ts';

/**
 * `successor_sealed` is the living refresh token of the session, sealed under its parent (decisions 0006): who
 * presents the parent again, within ten seconds of the rotation, gets the same successor. Without an index:
 * nothing looks for it, and a rotation on PostgreSQL stays within its page (HOT). The next rotation overwrites it.
 */
export const sealing: Migration = {
  name: '0004_sealing',
  statements: () => ['ALTER TABLE sessions ADD COLUMN successor_sealed TEXT'],
};
