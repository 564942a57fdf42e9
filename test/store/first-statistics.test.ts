// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount } from '../support/client.ts';
import { newPostgresPlace } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ITEMS = 3_000;

it('A new table on PostgreSQL gets statistics soon after its first rows, and lists with several conditions get plans for many rows', async (t) => {
  const place = await newPostgresPlace();
  const { url } = await startService(t, { name: '', settings: async () => ({ DATABASE_URL: place.url }) });
  const { id } = await newAccount(url);
  await place.sql(
    // PostgreSQL itself makes none then.
    'ALTER TABLE content SET (autovacuum_enabled = off)',
    'ALTER TABLE content_tags SET (autovacuum_enabled = off)',
    `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
      SELECT ${id}, 'T' || n, 'c', '', '["common"]', 1, n, n FROM generate_series(1, ${ITEMS}) AS n`,
  );
  const analysed = `SELECT DISTINCT tablename FROM pg_stats WHERE tablename IN ('content', 'content_tags')`;
  await until(async () => (await place.sql(analysed)).length === 2, 'both tables have statistics');

  // Without statistics each item is compared with each tag.
  const plan = await place.sql(`EXPLAIN SELECT id FROM content WHERE visible = 1 AND created_at >= 0
    AND id IN (SELECT content_id FROM content_tags WHERE tag = 'common')`);
  assert.doesNotMatch(JSON.stringify(plan), /Nested Loop/);
  const times = 'created_from=1970-01-01T00:00:00.001Z&updated_from=1970-01-01T00:00:00Z';
  const list = `/api/content?sort=title&any_tag=common&${times}`;
  const { status, body } = await call(url, 'GET', list);
  assert.deepEqual([status, body.data.total], [200, ITEMS]);
});
