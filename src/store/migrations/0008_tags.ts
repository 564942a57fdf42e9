import type { Migration } from '../migration.ts';

/**
 * Tags without a second index and a foreign key (decisions 0023): an item lists its own tags, so that a
 * change or a deletion finds their rows by the primary key, and creating an item writes half as much.
 */
export const tags: Migration = {
  name: '0008_tags',
  statements: ({ engine, key, integer, tableOptions }) =>
    engine === 'sqlite'
      ? [
          `CREATE TABLE content_tags_kept (
            tag ${key} NOT NULL,
            content_id ${integer} NOT NULL,
            PRIMARY KEY (tag, content_id)
          )${tableOptions}, WITHOUT ROWID`,
          'INSERT INTO content_tags_kept (tag, content_id) SELECT tag, content_id FROM content_tags ORDER BY 1, 2',
          'DROP TABLE content_tags',
          'ALTER TABLE content_tags_kept RENAME TO content_tags',
        ]
      : [
          'DROP INDEX content_tags_content',
          'ALTER TABLE content_tags DROP CONSTRAINT content_tags_content_id_fkey',
        ],
};
