import type { Migration } from '../store/migration.ts';

/**
 * The renaming of a tag or a category (docs/decisions/lists-and-search.md).
 *
 * - One row for each kind: the renaming that runs, or the last one. The primary key refuses a second one.
 * - A round goes over the `part` of items that can have the label, from `after_id` to `last_id`. `in_round` is how many
 *   items it has changed, and `items` how many all rounds have.
 * - The index serves the search for hidden items, whose tags have no rows of their own.
 */
export const labelRenames: Migration = {
  name: '0042_label_renames',
  effect: {
    does: 'Makes the table of renamed labels, and an index of hidden items.',
    stops: { content: 'writes', users: 'writes' },
    reads: ['content'],
  },
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE label_renames (
      kind ${key} NOT NULL PRIMARY KEY CHECK (kind IN ('tag', 'category')),
      from_name ${key} NOT NULL,
      to_name ${key} NOT NULL,
      started_by ${integer} REFERENCES users (id) ON DELETE SET NULL,
      started_at ${integer} NOT NULL,
      ended_at ${integer},
      round ${integer} NOT NULL,
      part TEXT NOT NULL CHECK (part IN ('visible', 'hidden', 'drafts')),
      after_id ${integer} NOT NULL,
      last_id ${integer} NOT NULL,
      in_round ${integer} NOT NULL,
      items ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX content_hidden ON content (id) WHERE visible = 0',
  ],
};
