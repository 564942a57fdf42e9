import type { Migration } from '../store/migration.ts';

/** The index of step 0051 replaces `content_scheduled_of`, which has drafts in the trash too. */
export const noScheduledIndex: Migration = {
  name: '0052_no_scheduled_index',
  effect: { does: 'Drops an index of content that another replaces.', stops: { content: 'all' } },
  statements: () => ['DROP INDEX content_scheduled_of'],
};
