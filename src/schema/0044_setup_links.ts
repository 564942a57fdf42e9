import type { Migration } from '../store/migration.ts';

/**
 * Links that make the first admin (src/setup). `token_hash` is the SHA-256 of 256 random bits, which are printed only.
 * All end with the first admin.
 */
export const setupLinks: Migration = {
  name: '0044_setup_links',
  effect: { does: 'Makes the table of setup links.' },
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE setup_links (
      token_hash ${key} NOT NULL PRIMARY KEY,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX setup_links_expiry ON setup_links (expires_at)',
  ],
};
