import type { Migration } from '../store/migration.ts';

/**
 * What `stoa content import` has read, so that another import changes only what is new (docs/decisions/content.md).
 *
 * - `source` is a SHA-256 of the place that an item came from: its file, and its id there.
 * - `fingerprint` is a SHA-256 of the bytes that were read.
 */
export const contentImports: Migration = {
  name: '0040_content_imports',
  effect: { does: 'Makes the table of what was imported.', stops: { content: 'writes' } },
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE content_imports (
      source ${key} NOT NULL PRIMARY KEY,
      content_id ${integer} NOT NULL REFERENCES content (id) ON DELETE CASCADE,
      fingerprint TEXT NOT NULL
    )${tableOptions}`,
    // The deletion of an item looks for its rows here.
    'CREATE INDEX content_imports_content ON content_imports (content_id)',
  ],
};
