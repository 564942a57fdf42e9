import type { Migration } from '../store/migration.ts';

/**
 * What an item was before each of its changes (docs/decisions/content.md).
 *
 * - `content.changed_by` is who made the state that the item is in, where that was not its author. So creating an item
 *   writes nothing more than before.
 * - `content_versions` has each state that a change replaced: when and by whom it was made, when it was replaced, and the
 *   names of the members that the next version has otherwise. `bytes` is the size of its text.
 * - A text is there whole (`content`), or as what it has otherwise than the text of the version `base`, which is there
 *   whole (`delta`, base64).
 * - `content_id` is no reference: the versions of an item that is deleted are removed a few at a time.
 * - `content_history_due` names the items whose versions a job looks at next, and when.
 */
export const versions: Migration = {
  name: '0026_versions',
  effect: {
    does: 'Makes the tables of versions, and adds who changed an item, with an index.',
    stops: { content: 'all', users: 'writes' },
    reads: ['content'],
  },
  statements: ({ integer, tableOptions }) => [
    `ALTER TABLE content ADD COLUMN changed_by ${integer} REFERENCES users (id)`,
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    'CREATE INDEX content_changed_by ON content (changed_by) WHERE changed_by IS NOT NULL',
    `CREATE TABLE content_versions (
      content_id ${integer} NOT NULL,
      version ${integer} NOT NULL,
      title TEXT NOT NULL,
      category TEXT NOT NULL,
      tags TEXT NOT NULL,
      changed_by ${integer} REFERENCES users (id),
      changed_at ${integer} NOT NULL,
      replaced_at ${integer} NOT NULL,
      replaced_members TEXT NOT NULL,
      bytes ${integer} NOT NULL,
      base ${integer},
      delta TEXT,
      content TEXT,
      PRIMARY KEY (content_id, version),
      CONSTRAINT content_versions_text
        CHECK ((content IS NULL) = (delta IS NOT NULL) AND (base IS NULL) = (delta IS NULL))
    )${tableOptions}`,
    'CREATE INDEX content_versions_changed_by ON content_versions (changed_by) WHERE changed_by IS NOT NULL',
    `CREATE TABLE content_history_due (
      content_id ${integer} NOT NULL PRIMARY KEY,
      due_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX content_history_due_at ON content_history_due (due_at)',
  ],
};
