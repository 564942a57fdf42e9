import type { Migration } from '../store/migration.ts';

/**
 * What an author says of an item (docs/decisions/content.md): `language` is a language tag or empty, `meta` the JSON of
 * an object. Each version has its own.
 */
export const reading: Migration = {
  name: '0032_reading',
  effect: {
    does: 'Adds language and meta to content and its versions.',
    stops: { content: 'all', content_versions: 'all' },
  },
  statements: () => [
    ...['content', 'content_versions'].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN language TEXT NOT NULL DEFAULT ''`,
      `ALTER TABLE ${table} ADD COLUMN meta TEXT NOT NULL DEFAULT '{}'`,
    ]),
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
  ],
};
