import type { Migration } from '../migration.ts';

/**
 * One index by author, category and tag that new items enter a moment later, many at once (decisions 0025):
 * three indexes that every creation changes cost it more than all the rest. All items up to the id in
 * `content_labelled` are in it. PostgreSQL keeps its own.
 */
export const labels: Migration = {
  name: '0009_labels',
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : []),
};

const SQLITE = [
  `CREATE TABLE content_labels (
    kind TEXT NOT NULL CHECK (kind IN ('author', 'category', 'tag')),
    value TEXT NOT NULL,
    content_id INTEGER NOT NULL,
    PRIMARY KEY (kind, value, content_id)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO content_labels (kind, value, content_id)
    SELECT 'author' AS kind, CAST(author_id AS TEXT) AS value, id FROM content
    UNION ALL SELECT 'category', category, id FROM content WHERE category <> ''
    UNION ALL SELECT 'tag', tag, content_id FROM content_tags
    ORDER BY 1, 2, 3`,
  'CREATE TABLE content_labelled (through INTEGER NOT NULL) STRICT',
  'INSERT INTO content_labelled (through) SELECT coalesce(max(id), 0) FROM content',
  'DROP TABLE content_tags',
  'DROP INDEX content_author',
  'DROP INDEX content_category',
];
