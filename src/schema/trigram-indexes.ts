import type { TrigramIndexes } from '../store/migration.ts';

/**
 * PostgreSQL's indexes for a search by substring (https://www.postgresql.org/docs/current/pgtrgm.html). A start makes
 * the missing ones. They only make a search faster: without them the same statements read the whole table and find the
 * same rows.
 */
export const TRIGRAM_INDEXES: TrigramIndexes = {
  without: 'search works, but reads whole tables',
  statements: [
    // fastupdate is off, because every search would have to read the pending list. A slower insert does not matter
    // compared with the password hash of a registration.
    `CREATE INDEX users_keys_trigrams ON users
    USING gin (
      username_key gin_trgm_ops,
      email_key gin_trgm_ops,
      (with_letters_for_separators(username_key || ' ' || email_key)) gin_trgm_ops
    ) WITH (fastupdate = off) WHERE visible = 1`,
  ],
};
