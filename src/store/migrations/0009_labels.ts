import type { Migration } from '../migration.ts';

/**
 * One index by author, category and tag that new items enter a moment later, many at once (decisions 0025):
 * three indexes that every creation changes cost it more than all the rest. PostgreSQL keeps its own.
 * A label is one text, as "tag=news": two columns in its place made the index slower and larger by a quarter.
 *
 * `content_indexed` says how far the two indexes of content go: `labels` and `search` are the last id that
 * each has seen, and what was made after it waits. So a creation writes nothing but the item, and
 * `content_unindexed` lists only what was changed since it was put into the trigram index.
 */
export const labels: Migration = {
  name: '0009_labels',
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : []),
};

const SQLITE = [
  `CREATE TABLE content_labels (
    label TEXT NOT NULL,
    content_id INTEGER NOT NULL,
    PRIMARY KEY (label, content_id)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO content_labels (label, content_id)
    SELECT 'author=' || author_id, id FROM content
    UNION ALL SELECT 'category=' || category, id FROM content WHERE category <> ''
    UNION ALL SELECT 'tag=' || tag, content_id FROM content_tags
    ORDER BY 1, 2`,
  'CREATE TABLE content_indexed (labels INTEGER NOT NULL, search INTEGER NOT NULL) STRICT',
  'INSERT INTO content_indexed (labels, search) SELECT coalesce(max(id), 0), coalesce(max(id), 0) FROM content',
  'DROP TABLE content_tags',
  'DROP INDEX content_author',
  'DROP INDEX content_category',
];
