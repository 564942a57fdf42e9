import type { Migration } from '../migration.ts';
import { SEPARATORS, STAND_INS } from '../search-keys.ts';

/**
 * The keys of users once more, as a search reads them (decisions 0011).
 *
 * - SQLite: by id, beside the table, so that reading them reads a quarter of the pages that it has.
 * - PostgreSQL: both keys in one column, with letters for separators, for one trigram index in the
 *   place of two (store/postgres/trigram.ts makes it).
 */
export const searchKeys: Migration = {
  name: '0006_search_keys',
  statements: ({ engine, key }) =>
    engine === 'sqlite'
      ? ['CREATE INDEX users_keys ON users (id, username_key, email_key)']
      : [
          `ALTER TABLE users ADD COLUMN search_keys ${key} NOT NULL
            GENERATED ALWAYS AS (translate(username_key || ' ' || email_key, '${SEPARATORS}', '${STAND_INS}')) STORED`,
          'DROP INDEX IF EXISTS users_trigrams',
        ],
};
