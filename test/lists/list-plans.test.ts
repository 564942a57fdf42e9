import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { listContent } from '../../src/lists/list.ts';
import { SORTED } from '../../src/lists/order.ts';
import { kyselyOver } from '../../src/store/kysely.ts';
import { publishNothing } from '../../src/store/operation.ts';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { PLACES } from '../support/place.ts';
import { connect } from '../support/postgres.ts';
import { openStoreOn } from '../support/store.ts';

/** Each tenth of them is a set that is sorted, and half of them are one whose order is read from an index. */
const ITEMS = 4 * SORTED;
const ORDERS = ['newest', 'oldest', 'changed', 'title'] as const;
const NONE = { keyword: '', category: '' };
const FILTERS = [
  NONE,
  { ...NONE, tags: ['half'] },
  { ...NONE, tags: ['half', 'tenth'] },
  { ...NONE, anyTags: ['half', 'tenth'] },
  { ...NONE, category: 'half' },
  { ...NONE, author: 1 },
  { ...NONE, created: { from: 10 } },
  { ...NONE, created: { from: 10, before: 20 } },
  { ...NONE, updated: { before: ITEMS - 10 } },
  { ...NONE, category: 'half', tags: ['half'], created: { from: 10 } },
];
/** By id, the new filters are those of time: PostgreSQL may read all rows for the others where that is less. */
const OF_ACCOUNTS = FILTERS.flatMap((filter) => [
  ...ORDERS.map((sort) => ({ ...filter, sort })),
  ...('created' in filter || 'updated' in filter ? [filter] : []),
]);
const LISTS = [NONE, ...OF_ACCOUNTS].flatMap((list) =>
  (['account', 'stranger'] as const).map((reader) => ({ ...list, reader })),
);

for (const { name, newPlace } of PLACES)
  it(`Each order and filter of content is read from an index on ${name}`, async (t) => {
    const place = await newPlace(t);
    await openStoreOn(t, readConfig({ DATABASE_URL: place.url }).database);
    await place.sql(
      `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
        VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS})
        INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, visibility)
        SELECT 1, 'Title ' || i, 'c', CASE WHEN i % 2 = 0 THEN 'half' ELSE '' END,
          CASE WHEN i % 10 = 0 THEN '["half","tenth"]' WHEN i % 2 = 0 THEN '["half"]' ELSE '[]' END, 1, i, i,
          CASE WHEN i % 5 = 0 THEN 'members' ELSE 'public' END FROM n`,
      'ANALYZE content',
    );
    const plansOf = await (name === 'SQLite' ? onSqlite : onPostgres)(t, place.url);
    for (const list of LISTS)
      for (const step of await plansOf({ ...list, page: 1, per_page: 20 }))
        assert.doesNotMatch(step, /(SCAN|Seq Scan on) content(_tags)?\b(?!.* INDEX)/, JSON.stringify(list));
  });

type Query = Parameters<typeof listContent.run>[1];

/** The steps of the plans of all statements of a list. */
type PlansOf = (query: Query) => Promise<string[]>;

async function onSqlite(t: TestContext, url: string): Promise<PlansOf> {
  const file = new DatabaseSync(url.replace('sqlite:', ''));
  t.after(() => file.close());
  file.function('stoa_in_time', () => 1);
  const prepared = t.mock.method(file, 'prepare');
  return async (query) => {
    prepared.mock.resetCalls();
    // Statements are prepared once for each Kysely instance.
    await listContent.run(kyselyOn(file), query, engineOf('sqlite'));
    const statements = prepared.mock.calls.map(({ arguments: [sql] }) => sql);
    return statements.flatMap((sql) =>
      file
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  };
}

async function onPostgres(t: TestContext, url: string): Promise<PlansOf> {
  const client = await connect(url);
  t.after(() => client.end());
  const steps: string[] = [];
  const db = kyselyOver(
    async ({ sql, parameters }) => {
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
      steps.push(...plan.map((row) => row['QUERY PLAN']));
      const { rows } = await client.query(sql, [...parameters]);
      return { rows };
    },
    {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (on) => new PostgresIntrospector(on),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  );
  return async (query) => {
    steps.length = 0;
    await client.query('begin');
    await listContent.run(db, query, engineOf('postgres'));
    await client.query('commit');
    return [...steps];
  };
}

function engineOf(name: 'sqlite' | 'postgres') {
  return { name, publish: publishNothing, lock: publishNothing, tryLock: publishNothing };
}
