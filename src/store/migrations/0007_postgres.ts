import type { Migration } from '../migration.ts';

/**
 * What PostgreSQL alone needs to be quick where SQLite is by itself (decisions 0010, 0011).
 *
 * - The total of what was folded is one row, kept by triggers: a total is that row and the few deltas
 *   since, instead of a sum over all blocks. An instance of the version before folds by the same triggers.
 * - The folded text of an item waits in `content_unindexed` until it is put into the trigram index in the
 *   background: that alone costs four times all the rest of a creation. Searches read both by `content_searchable`.
 */
export const postgres: Migration = {
  name: '0007_postgres',
  statements: ({ engine }) =>
    engine === 'postgres' ? [...['users', 'content'].flatMap(total), ...WAITING] : [],
};

/** Making the trigger locks the table against folding until the end, so that the first sum is right. */
function total(table: string): string[] {
  return [
    `CREATE TABLE ${table}_folded_total (rows BIGINT NOT NULL)`,
    `CREATE FUNCTION ${table}_folded_summed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      UPDATE ${table}_folded_total SET rows = rows + new.rows - CASE WHEN tg_op = 'UPDATE' THEN old.rows ELSE 0 END;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${table}_folded_summed AFTER INSERT OR UPDATE ON ${table}_folded
      FOR EACH ROW EXECUTE FUNCTION ${table}_folded_summed()`,
    `INSERT INTO ${table}_folded_total (rows) SELECT coalesce(sum(rows), 0) FROM ${table}_folded`,
    `CREATE OR REPLACE VIEW ${table}_total AS SELECT (
        (SELECT rows FROM ${table}_folded_total) + (SELECT coalesce(sum(rows), 0) FROM ${table}_deltas)
      )::BIGINT AS rows`,
  ];
}

const WAITING = [
  `CREATE TABLE content_unindexed (
    content_id BIGINT NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL
  )`,
  `CREATE VIEW content_searchable AS
    SELECT content_id, title, content FROM content_search
    UNION ALL SELECT content_id, title, content FROM content_unindexed`,
];
