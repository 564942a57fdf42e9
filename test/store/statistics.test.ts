// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../src/domain/time.ts';
import { call, newAccount } from '../support/client.ts';
import type { Lifetime } from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { newPostgresPlace, type Place } from '../support/place.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ITEMS = 3_000;
/** A table of which ANALYZE calls `slowly` for each row. */
const CALLS_SLOWLY = [
  `CREATE FUNCTION slowly(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN n; END'`,
  'CREATE TABLE slow (n integer) WITH (autovacuum_enabled = off)',
  'CREATE INDEX ON slow (slowly(n))',
];

describe('Statistics on PostgreSQL', { concurrency: true }, () => {
  it('A new table gets statistics soon after its first rows, and lists with several conditions get plans for many rows', async (t) => {
    const { place, url, id } = await started(t);
    await place.sql(
      `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
        SELECT ${id}, 'T' || n, 'c', '', '["common"]', 1, n, n FROM generate_series(1, ${ITEMS}) AS n`,
    );
    await until(() => hasStatistics(place, 'content', 'content_tags'), 'both tables have statistics');

    // Without statistics each item is compared with each tag.
    assert.doesNotMatch(await planOf(place, 'common', 0), /Nested Loop/);
    const times = 'created_from=1970-01-01T00:00:00.001Z&updated_from=1970-01-01T00:00:00Z';
    const { status, body } = await call(url, 'GET', `/api/content?sort=title&any_tag=common&${times}`);
    assert.deepEqual([status, body.data.total], [200, ITEMS]);
  });

  it('A new tag of thousands of items in a much larger table gets plans for many rows within about a minute', async (t) => {
    const { place, url, id } = await started(t);
    const before = Date.now() - 2 * HOUR_MS;
    await addItems(place, id, 60_000, 'old', before);
    await until(() => hasStatistics(place, 'content', 'content_tags'), 'both tables have statistics');
    const first = await analysed(place);
    await addItems(place, id, 5_500, 'new', Date.now());
    // Each new item is compared with each new tag: an hour ago there were none.
    const from = Date.now() - HOUR_MS;
    assert.match(await planOf(place, 'new', from), /Join Filter/);
    await until(async () => (await analysed(place)) > first, 'both tables have new statistics');
    assert.doesNotMatch(await planOf(place, 'new', from), /Join Filter/);
    const since = `created_from=${new Date(from).toISOString()}`;
    const { status, body } = await call(url, 'GET', `/api/content?tag=new&${since}`);
    assert.deepEqual([status, body.data.total], [200, 5_500]);
  });

  it('A table whose statistics take longer than a request may gets them too', async (t) => {
    const { place } = await started(t);
    await place.sql(
      ...CALLS_SLOWLY,
      'INSERT INTO slow SELECT n FROM generate_series(1, 200) AS n',
      `CREATE OR REPLACE FUNCTION slowly(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
        'BEGIN PERFORM pg_sleep(0.2); RETURN n; END'`,
    );
    await until(() => hasStatistics(place, 'slow'), 'the table has statistics');
  });

  it('A table that cannot be analysed is reported by its name, rests, and keeps no other from its statistics', async (t) => {
    const { place, log } = await started(t);
    await place.sql(
      ...CALLS_SLOWLY,
      // What a sequence gave is not taken back.
      'CREATE SEQUENCE tries',
      `INSERT INTO slow SELECT n FROM generate_series(1, ${ITEMS}) AS n`,
      `CREATE OR REPLACE FUNCTION slowly(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
        $$ BEGIN PERFORM nextval('public.tries'); RAISE 'it broke'; END $$`,
    );
    const failures = () => log.filter((line) => line.includes('The table slow gets no new statistics.'));
    await until(() => failures().length > 0, 'the failure is reported');
    for (const name of ['second', 'third']) {
      await place.sql(
        `CREATE TABLE ${name} WITH (autovacuum_enabled = off) AS SELECT n FROM generate_series(1, 100) AS n`,
      );
      await until(() => hasStatistics(place, name), `the ${name} table has statistics`);
    }
    const [tries] = await place.sql('SELECT last_value::int AS n FROM tries');
    assert.deepEqual([tries?.n, failures().length], [1, 1]);
  });

  it('A service with two connections holds none of them for statistics, and one with three may', async (t) => {
    for (const [size, makes] of [
      ['2', false],
      ['3', true],
    ] as const) {
      const place = await newPostgresPlace();
      const settings = async () => ({ DATABASE_URL: place.url });
      const service = await startService(
        t,
        { name: '', settings },
        { DATABASE_POOL: size, METRICS_PORT: '0' },
      );
      const { text } = await scrape(service);
      assert.equal(text.includes('task="making statistics"'), makes, `${size} connections`);
    }
  });
});

/** A service on a database where PostgreSQL itself makes no statistics of items. */
async function started(t: Lifetime) {
  const place = await newPostgresPlace();
  const settings = async () => ({ DATABASE_URL: place.url });
  const service = await startService(t, { name: '', settings });
  const { id } = await newAccount(service.url);
  await place.sql(
    'ALTER TABLE content SET (autovacuum_enabled = off)',
    'ALTER TABLE content_tags SET (autovacuum_enabled = off)',
  );
  return { ...service, place, id };
}

async function hasStatistics(place: Place, ...tables: string[]): Promise<boolean> {
  const names = tables.map((name) => `'${name}'`).join();
  const found = await place.sql(`SELECT DISTINCT tablename FROM pg_stats WHERE tablename IN (${names})`);
  return found.length === tables.length;
}

/** When both tables of items were analysed, in milliseconds. */
async function analysed(place: Place): Promise<number> {
  const [row] = await place.sql(`SELECT (extract(epoch FROM min(last_analyze)) * 1000)::float8 AS time
    FROM pg_stat_user_tables WHERE relname IN ('content', 'content_tags')`);
  return Number(row?.time);
}

/** Without triggers, which would give the jobs of the service work for a minute. */
async function addItems(place: Place, author: number, items: number, tag: string, time: number) {
  await place.sql(`SET session_replication_role = replica;
    WITH added AS (
      INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
      SELECT ${author}, 'T' || n, 'c', '', '["${tag}"]', 1, ${time}, ${time} FROM generate_series(1, ${items}) AS n
      RETURNING id
    )
    INSERT INTO content_tags (tag, content_id) SELECT '${tag}', id FROM added`);
}

async function planOf(place: Place, tag: string, from: number): Promise<string> {
  const plan = await place.sql(`EXPLAIN SELECT id FROM content WHERE visible = 1 AND created_at >= ${from}
    AND id IN (SELECT content_id FROM content_tags WHERE tag = '${tag}')`);
  return JSON.stringify(plan);
}
