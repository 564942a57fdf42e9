import type { Migration } from '../store/migration.ts';

/** The drafts of an author that wait for their time, without those in the trash, of which there may be any number. */
export const waitingDrafts: Migration = {
  name: '0051_waiting_drafts',
  effect: { does: 'Makes the index of drafts that wait for their time, by author.', reads: ['content'] },
  isConcurrent: true,
  statements: () => [
    `CREATE INDEX content_waiting_of ON content (author_id)
      WHERE publish_at IS NOT NULL AND trashed_at IS NULL`,
  ],
};
