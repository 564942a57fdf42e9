import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * `successor_sealed` is the living refresh token of the session, sealed under its parent (docs/decisions/sessions.md).
 * A client that sends the parent again, within ten seconds of the rotation, gets the same successor. The next rotation
 * overwrites the column. It has no index: no statement searches by it, and without one a rotation on PostgreSQL stays
 * within its page (a HOT update).
 */
export const sealing: Migration = {
  name: '0004_sealing',
  effect: OF_FIRST_BUILDS,
  statements: () => ['ALTER TABLE sessions ADD COLUMN successor_sealed TEXT'],
};
