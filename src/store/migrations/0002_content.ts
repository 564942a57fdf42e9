import type { Migration } from '../migration.ts';

/**
 * Content items.
 *
 * - `tags` is the JSON array as clients see it, so that a read is one row; `content_tags` is the same
 *   set as an index for filtering. The operations write both in one transaction.
 * - Ids are never reused, not even that of the newest row after its deletion, because clients keep links.
 */
export const content: Migration = {
  name: '0002_content',
  statements: ({ id, integer, key, tableOptions }) => [
    `CREATE TABLE content (
      id ${id},
      author_id ${integer} NOT NULL REFERENCES users (id),
      title TEXT NOT NULL,
      content TEXT NOT NULL,
      category ${key} NOT NULL,
      tags TEXT NOT NULL,
      version ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    )${tableOptions}`,
    `CREATE INDEX content_author ON content (author_id, id)`,
    // Items without a category are never looked up by it.
    `CREATE INDEX content_category ON content (category, id) WHERE category <> ''`,
    `CREATE TABLE content_tags (
      tag ${key} NOT NULL,
      content_id ${integer} NOT NULL REFERENCES content (id) ON DELETE CASCADE,
      PRIMARY KEY (tag, content_id)
    )${tableOptions === '' ? '' : `${tableOptions}, WITHOUT ROWID`}`,
    `CREATE INDEX content_tags_content ON content_tags (content_id)`,
  ],
};
