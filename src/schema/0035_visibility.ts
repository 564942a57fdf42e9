import type { Migration } from '../store/migration.ts';
import { countsOfMembersOnly } from './members-only-counts.ts';

/**
 * Who may see an item that is not hidden (docs/decisions/content.md): everybody (`public`), or accounts (`members`).
 * `visible` still says what accounts see.
 *
 * - `public_content` has what strangers see, as `visible_content` has what accounts see.
 * - `content_readers` has the items of both kinds apart, each in the order of ids. A page of strangers passes over no item
 *   for members, however many there are.
 * - `content_members_total` and `content_members_buckets` count the items for members only. `content_public_total` and
 *   `content_public_buckets` are what is left for strangers.
 */
export const visibility: Migration = {
  name: '0035_visibility',
  effect: {
    does: 'Adds to content who may see an item, with an index and counts.',
    stops: { content: 'all' },
    reads: ['content'],
  },
  statements: (dialect) => [
    `ALTER TABLE content ADD COLUMN visibility TEXT NOT NULL DEFAULT 'public'
      CHECK (visibility IN ('public', 'members'))`,
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    "CREATE VIEW public_content AS SELECT * FROM content WHERE visible = 1 AND visibility = 'public'",
    'CREATE INDEX content_readers ON content (visibility, id) WHERE visible = 1',
    ...countsOfMembersOnly(dialect),
    `CREATE VIEW content_public_total AS
      SELECT (SELECT rows FROM content_total) - (SELECT rows FROM content_members_total) AS rows`,
    `CREATE VIEW content_public_buckets AS
      SELECT shown.bucket, shown.rows - coalesce(members.rows, 0) AS rows
      FROM content_buckets AS shown LEFT JOIN content_members_buckets AS members ON members.bucket = shown.bucket`,
  ],
};
