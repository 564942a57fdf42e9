import type { Migration } from '../store/migration.ts';

/**
 * How many items have each tag and each category (docs/decisions/lists-and-search.md).
 *
 * - Each write of a visible item appends one row to `label_changes`, with its labels as they are in the item. It updates
 *   no counter, so writes of the same tag do not wait for one another.
 * - `items` is how many items the labels are added to, and -1 where they are taken away. `public_items` is the same of
 *   those that strangers see.
 * - A job adds the changes up into `label_counts` (labels/count.ts). `name_key` is the folded name, for prefixes.
 */
export const labels: Migration = {
  name: '0037_labels',
  effect: {
    does: 'Counts tags and categories, which triggers of content then do.',
    stops: { content: 'writes' },
    reads: ['content'],
    later: 'A job adds up the counts of labels.',
  },
  statements: ({ engine, id, integer, key, tableOptions }) => [
    `CREATE TABLE label_changes (
      place ${id},
      category TEXT NOT NULL,
      tags TEXT NOT NULL,
      items ${integer} NOT NULL,
      public_items ${integer} NOT NULL
    )${tableOptions}`,
    `CREATE TABLE label_counts (
      kind ${key} NOT NULL CHECK (kind IN ('tag', 'category')),
      name ${key} NOT NULL,
      name_key ${key} NOT NULL,
      items ${integer} NOT NULL,
      public_items ${integer} NOT NULL,
      PRIMARY KEY (kind, name)
    )${tableOptions === '' ? '' : `${tableOptions}, WITHOUT ROWID`}`,
    'CREATE INDEX label_counts_items ON label_counts (kind, items DESC, name)',
    'CREATE INDEX label_counts_public ON label_counts (kind, public_items DESC, name)',
    'CREATE INDEX label_counts_keys ON label_counts (kind, name_key, items, public_items, name)',
    `INSERT INTO label_changes (category, tags, items, public_items)
      SELECT category, tags, count(*), sum(CASE WHEN visibility = 'public' THEN 1 ELSE 0 END)
      FROM content WHERE visible = 1 AND (category <> '' OR tags <> '[]') GROUP BY category, tags`,
    ...(engine === 'sqlite' ? SQLITE : POSTGRES),
  ],
};

type Row = 'old' | 'new';
const HAS_LABELS = (row: Row) => `${row}.visible = 1 AND (${row}.category <> '' OR ${row}.tags <> '[]')`;
const IS_CHANGED = `old.visible <> new.visible OR old.visibility <> new.visibility
  OR old.tags <> new.tags OR old.category <> new.category`;
const append = (row: Row, by: 1 | -1) => `INSERT INTO label_changes (category, tags, items, public_items)
  SELECT ${row}.category, ${row}.tags, ${by}, CASE WHEN ${row}.visibility = 'public' THEN ${by} ELSE 0 END
  WHERE ${HAS_LABELS(row)};`;

const SQLITE = [
  `CREATE TRIGGER labels_insert AFTER INSERT ON content WHEN ${HAS_LABELS('new')} BEGIN ${append('new', 1)} END`,
  `CREATE TRIGGER labels_delete AFTER DELETE ON content WHEN ${HAS_LABELS('old')} BEGIN ${append('old', -1)} END`,
  `CREATE TRIGGER labels_update AFTER UPDATE OF tags, category, visible, visibility ON content WHEN ${IS_CHANGED}
    BEGIN ${append('old', -1)} ${append('new', 1)} END`,
];

const POSTGRES = [
  `CREATE FUNCTION labels_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF tg_op <> 'INSERT' THEN ${append('old', -1)} END IF;
    IF tg_op <> 'DELETE' THEN ${append('new', 1)} END IF;
    RETURN NULL;
  END $$`,
  ...[
    ['inserted', 'INSERT', HAS_LABELS('new')],
    ['deleted', 'DELETE', HAS_LABELS('old')],
    ['updated', 'UPDATE OF tags, category, visible, visibility', IS_CHANGED],
  ].map(
    ([name, event, condition]) => `CREATE TRIGGER labels_${name} AFTER ${event} ON content
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION labels_changed()`,
  ),
];
