import type { Migration } from '../store/migration.ts';

/**
 * What tells a database from an earlier one with the same rows (docs/decisions/running.md).
 *
 * - `database_id` exists on both engines now. A move or a restore carries no row of it, so its target has an id of its
 *   own. On SQLite step 0019 made the table.
 * - `restored_at` is set where the rows are those of a backup. Refresh tokens that are newer than the backup are known
 *   outside, and are no sign of a theft (src/sessions/other-token.ts).
 */
export const epoch: Migration = {
  name: '0041_epoch',
  effect: { does: 'Marks the database, so that a restored one is told from the one before.' },
  statements: ({ engine }) =>
    engine === 'sqlite' ? ['ALTER TABLE database_id ADD COLUMN restored_at INTEGER'] : POSTGRES,
};

const POSTGRES = [
  'CREATE TABLE database_id (id TEXT COLLATE "C" NOT NULL PRIMARY KEY, restored_at BIGINT)',
  "INSERT INTO database_id (id) VALUES (replace(gen_random_uuid()::text, '-', ''))",
];
