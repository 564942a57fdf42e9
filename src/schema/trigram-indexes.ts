/**
 * Indexes of PostgreSQL for "contains" (https://www.postgresql.org/docs/current/pgtrgm.html), made at each start
 * where they are missing. They only make a search faster: without them the same statements read the whole
 * table and find the same.
 */
export const TRIGRAM_INDEXES: readonly string[] = [
  // Without a list of what it puts off: every search would read that, and a registration is a password hash anyway.
  `CREATE INDEX IF NOT EXISTS users_keys_trigrams ON users
    USING gin (
      username_key gin_trgm_ops,
      email_key gin_trgm_ops,
      (with_letters_for_separators(username_key || ' ' || email_key)) gin_trgm_ops
    ) WITH (fastupdate = off) WHERE visible = 1`,
];
