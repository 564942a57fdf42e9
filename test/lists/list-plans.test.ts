import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { findState } from '../../src/content/find.ts';
import type { Reader } from '../../src/content/visibility.ts';
import { listContent } from '../../src/lists/list.ts';
import { SORTED } from '../../src/lists/order.ts';
import { states } from '../../src/lists/rows.ts';
import { kyselyOn, sqliteEngine } from '../../src/store/sqlite/dialect.ts';
import { newMigratedPlace, newSqlitePlace, PLACES } from '../support/place.ts';
import { plansOn } from '../support/plans.ts';
import { leastTimes, TICK_MS } from '../support/processor-time.ts';

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
  { ...NONE, language: 'DE' },
  { ...NONE, author: 1 },
  { ...NONE, created: { from: 10 } },
  { ...NONE, created: { from: 10, before: 20 } },
  { ...NONE, updated: { before: ITEMS - 10 } },
  { ...NONE, category: 'half', tags: ['half'], created: { from: 10 } },
  { ...NONE, author: 1, category: 'half', tags: ['half', 'tenth'], language: 'de' },
];
/** By id, the new filters are those of time: PostgreSQL may read all rows for the others where that is less. */
const OF_ACCOUNTS = FILTERS.flatMap((filter) => [
  ...ORDERS.map((sort) => ({ ...filter, sort })),
  ...('created' in filter || 'updated' in filter ? [filter] : []),
]);
const LISTS = [NONE, ...OF_ACCOUNTS].flatMap((list) =>
  (['account', 'stranger'] as const).map((reader) => ({ ...list, reader })),
);

// SQLite reads the whole of a long text to learn from the row of an item who may see it.
for (const { name, newPlace } of PLACES)
  it(`Each order and filter of content is read from an index on ${name}, and so is what only members see`, async (t) => {
    const place = await newPlace(t);
    await place.sql(
      // With statistics of the tags, PostgreSQL reads all of so few. No store is open, which would make them soon too.
      ...(name === 'PostgreSQL' ? ['ALTER TABLE content_tags SET (autovacuum_enabled = off)'] : []),
      `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
        VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS})
        INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, language,
          visibility) SELECT 1, 'Title ' || i, 'c', CASE WHEN i % 2 = 0 THEN 'half' ELSE '' END,
          CASE WHEN i % 10 = 0 THEN '["half","tenth"]' WHEN i % 2 = 0 THEN '["half"]' ELSE '[]' END, 1, i, i,
          CASE WHEN i % 2 = 0 THEN 'de' ELSE '' END, CASE WHEN i % 5 = 0 THEN 'members' ELSE 'public' END FROM n`,
      'ANALYZE content',
    );
    const plansOf = await plansOn(t, place.url, listContent);
    for (const list of LISTS)
      for (const step of await plansOf({ ...list, page: 1, per_page: 20 }))
        assert.doesNotMatch(
          step,
          /(SCAN|Seq Scan on) content(_tags)?\b(?!.* INDEX)|SEARCH hidden USING INTEGER PRIMARY KEY/,
          JSON.stringify(list),
        );
    // SQLite would look each id of one set up in another, where it can read both in their order.
    for (const filter of name === 'SQLite' ? FILTERS : [])
      for (const step of await plansOf({ ...filter, reader: 'account', page: 1, per_page: 20 }))
        assert.doesNotMatch(
          step,
          /SEARCH .*INDEX content_\w+ .*\bid=|SEARCH .*PRIMARY KEY .*content_id=/,
          JSON.stringify(filter),
        );
    const byLanguage = await plansOf({ ...NONE, language: 'DE', reader: 'account', page: 1, per_page: 20 });
    assert.match(
      byLanguage.join('\n'),
      name === 'SQLite'
        ? /SEARCH content USING COVERING INDEX content_language/
        : /content_language[\s\S]*Index Cond: \(lower/,
    );
  });

it('The states of long items cost what those of short ones cost, on SQLite', async (t) => {
  const place = await newMigratedPlace(t, newSqlitePlace);
  await place.sql(
    `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
      VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
    ...[1_000, 1024 * 1024].map(
      (bytes) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, slug)
        SELECT 1, 't', hex(zeroblob(${bytes / 2})), '', '[]', 1, 0, 0, '${bytes}-' || i FROM n`,
    ),
  );
  const file = new DatabaseSync(place.url.replace('sqlite:', ''));
  t.after(() => file.close());
  const db = kyselyOn(file);
  const often = (read: () => Promise<unknown>) => async () => {
    for (let again = 0; again < 50; again++) await read();
  };
  const page = { offset: 0, limit: 100, share: 2_621, slugs: 0 } as const;
  const one = (reader: Reader, from: number) => async () => {
    for (let id = from; id < from + 100; id++) await findState.run(db, { id, reader }, sqliteEngine);
  };
  for (const [what, read] of [
    ['a page of accounts', (id: number) => () => states.account(db, { ...page, id })],
    ['items of accounts', (id: number) => one('account', id)],
    ['items of strangers', (id: number) => one('stranger', id)],
  ] as const) {
    const [short, long] = await leastTimes(10, often(read(1)), often(read(101)));
    assert.ok(long < 3 * short + TICK_MS, `${what}: ${long} ms for long texts, ${short} for short ones`);
  }
});
