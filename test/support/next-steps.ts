import type { Migration } from '../../src/store/migration.ts';

/** Steps of a version that does not exist yet. Its instances run next to those of this version. */
export const INDEX_STEP: Migration = {
  name: '9999_next_index',
  effect: { does: 'Makes an index of the time of items.', reads: ['content'] },
  isConcurrent: true,
  statements: () => ['CREATE INDEX content_by_time_and_title ON content (created_at, title)'],
};
export const COLUMN_STEP: Migration = {
  name: '9998_next_column',
  effect: { does: 'Gives items a column.', stops: { content: 'all' } },
  statements: () => ['ALTER TABLE content ADD COLUMN next_note TEXT'],
};
