import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/**
 * On PostgreSQL a page by id passes over no item that its reader may not see, however many there are: each of these
 * indexes has only items of one page's kind. With one index for both kinds (`content_readers`) PostgreSQL preferred the
 * primary key wherever many items are visible, and read all hidden ones at the beginning.
 *
 * `content_visible` is for accounts, `content_public` for strangers. In `content_members` a list for strangers looks
 * items up.
 */
export const pagesById: Migration = {
  name: '0049_pages_by_id',
  effect: {
    sqlite: NOT_HERE,
    postgres: { does: 'Makes the indexes for pages of content by id.', reads: ['content'] },
  },
  isConcurrent: true,
  statements: ({ engine }) => (engine === 'postgres' ? POSTGRES : []),
};

const POSTGRES = [
  'CREATE INDEX content_visible ON content (id) WHERE visible = 1',
  "CREATE INDEX content_public ON content (id) WHERE visible = 1 AND visibility = 'public'",
  "CREATE INDEX content_members ON content (id) WHERE visible = 1 AND visibility = 'members'",
];
