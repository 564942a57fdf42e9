import type { Dialect } from '../store/migration.ts';

const IS_COUNTED = (row: 'old' | 'new') => `${row}.visible = 1 AND ${row}.visibility = 'members'`;
const IS_CHANGED = 'old.visible <> new.visible OR old.visibility <> new.visibility';

/**
 * The tables of baseline/counts.ts for the visible items that only accounts see, by the name `content_members`. A write of
 * other items runs none of these triggers.
 */
export function countsOfMembersOnly({ engine, integer, tableOptions }: Dialect): string[] {
  const count = `(bucket ${integer} NOT NULL PRIMARY KEY, rows ${integer} NOT NULL)`;
  return engine === 'sqlite' ? sqlite(count, integer, tableOptions) : postgres(count, integer);
}

function sqlite(count: string, integer: string, tableOptions: string): string[] {
  const add = (row: 'old' | 'new', rows: number, condition = 'true') =>
    `INSERT INTO content_members_buckets (bucket, rows) SELECT ${row}.id / 4096, ${rows} WHERE ${condition}
      ON CONFLICT (bucket) DO UPDATE SET rows = rows + ${rows};
    UPDATE content_members_total SET rows = rows + ${rows} WHERE ${condition};`;
  return [
    `CREATE TABLE content_members_buckets ${count}${tableOptions}`,
    `CREATE TABLE content_members_total (rows ${integer} NOT NULL)${tableOptions}`,
    'INSERT INTO content_members_total (rows) VALUES (0)',
    `CREATE TRIGGER content_members_insert AFTER INSERT ON content WHEN ${IS_COUNTED('new')}
      BEGIN ${add('new', 1)} END`,
    `CREATE TRIGGER content_members_delete AFTER DELETE ON content WHEN ${IS_COUNTED('old')}
      BEGIN ${add('old', -1)} END`,
    `CREATE TRIGGER content_members_update AFTER UPDATE OF visible, visibility ON content WHEN ${IS_CHANGED}
      BEGIN ${add('old', -1, IS_COUNTED('old'))} ${add('new', 1, IS_COUNTED('new'))} END`,
  ];
}

function postgres(count: string, integer: string): string[] {
  const trigger = (event: string, name: string, condition: string) =>
    `CREATE TRIGGER content_members_${name} AFTER ${event} ON content
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION content_members_counted()`;
  return [
    `CREATE TABLE content_members_bucket_sums ${count}`,
    `CREATE TABLE content_members_bucket_sums_total (rows ${integer} NOT NULL)`,
    'INSERT INTO content_members_bucket_sums_total (rows) VALUES (0)',
    `CREATE TABLE content_members_bucket_changes (bucket ${integer} NOT NULL, rows ${integer} NOT NULL)`,
    `CREATE FUNCTION content_members_totalled() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      UPDATE content_members_bucket_sums_total
        SET rows = rows + new.rows - CASE WHEN tg_op = 'UPDATE' THEN old.rows ELSE 0 END;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER content_members_totalled AFTER INSERT OR UPDATE ON content_members_bucket_sums
      FOR EACH ROW EXECUTE FUNCTION content_members_totalled()`,
    `CREATE VIEW content_members_buckets AS SELECT bucket, sum(rows)::BIGINT AS rows FROM (
        SELECT bucket, rows FROM content_members_bucket_sums
        UNION ALL SELECT bucket, rows FROM content_members_bucket_changes
      ) AS counted GROUP BY bucket`,
    `CREATE VIEW content_members_total AS SELECT (
        (SELECT rows FROM content_members_bucket_sums_total)
        + (SELECT coalesce(sum(rows), 0) FROM content_members_bucket_changes)
      )::BIGINT AS rows`,
    `CREATE FUNCTION content_members_counted() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      IF tg_op <> 'INSERT' AND ${IS_COUNTED('old')} THEN
        INSERT INTO content_members_bucket_changes (bucket, rows) VALUES (old.id / 4096, -1);
      END IF;
      IF tg_op <> 'DELETE' AND ${IS_COUNTED('new')} THEN
        INSERT INTO content_members_bucket_changes (bucket, rows) VALUES (new.id / 4096, 1);
      END IF;
      RETURN NULL;
    END $$`,
    trigger('INSERT', 'inserted', IS_COUNTED('new')),
    trigger('DELETE', 'deleted', IS_COUNTED('old')),
    trigger('UPDATE OF visible, visibility', 'updated', IS_CHANGED),
  ];
}
