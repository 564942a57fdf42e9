import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { labelKey } from '../../src/labels/changes.ts';
import { countLabels, hasLabelChanges } from '../../src/labels/count.ts';
import { listLabels } from '../../src/labels/list.ts';
import { call, newAccount, newItem, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { PLACES } from '../support/place.ts';
import { openStoreOn } from '../support/store.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';

onEveryEngine('Labels', (engine) =>
  describeOnService(engine, 'of items', (service) => {
    const get = async (path: string, token?: string) => {
      const { status, body } = await call(service().url, 'GET', path, { token });
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    };

    it('The counts of tags and of categories are exact after each change of an item', async () => {
      const { token } = await newAccount(service().url);
      const word = newName('label');
      const counts = async (who?: string) => {
        const of = async (kind: string) => (await get(`/api/content/${kind}?prefix=${word}`, who)).items;
        const [tags, categories] = [await of('tags'), await of('categories')];
        return [...tags, ...categories].map(({ name, count }) => `${name.slice(word.length)} ${count}`);
      };
      const labelled = { tags: [`${word}a`, `${word}b`], category: `${word}c` };
      const { id } = await newItem(service().url, token, labelled);
      await newItem(service().url, token, { tags: [`${word}b`] });
      const change = async (method: string, path: string, body?: object) => {
        const { status } = await call(service().url, method, `/api/content/${path}`, { token, body });
        assert.equal(status, 200);
      };
      assert.deepEqual(await counts(), ['b 2', 'a 1', 'c 1']);
      await change('PUT', `${id}`, { title: 'no other label' });
      assert.deepEqual(await counts(), ['b 2', 'a 1', 'c 1']);
      await change('PUT', `${id}`, { tags: [`${word}a`], category: `${word}d` });
      assert.deepEqual(await counts(), ['a 1', 'b 1', 'd 1']);
      await change('PUT', `${id}`, { visibility: 'members' });
      assert.deepEqual([await counts(), await counts(token)], [['b 1'], ['a 1', 'b 1', 'd 1']]);
      await change('DELETE', `${id}`);
      assert.deepEqual([await counts(), await counts(token)], [['b 1'], ['b 1']]);
      await change('POST', `trash/${id}/restore`);
      await change('PUT', `${id}`, { visibility: 'public' });
      assert.deepEqual(await counts(), ['a 1', 'b 1', 'd 1']);
      await change('DELETE', `${id}`);
      await change('DELETE', `trash/${id}`);
      assert.deepEqual(await counts(), ['b 1']);
    });

    it('A prefix is compared without regard to case and to how its letters are composed, and each character literally', async () => {
      const { token } = await newAccount(service().url);
      const word = newName('É');
      await newItem(service().url, token, { tags: [`${word}%one`, `${word}_two`] });
      const find = async (prefix: string) =>
        (await get(`/api/content/tags?prefix=${encodeURIComponent(prefix)}`)).items.map(
          ({ name }: { name: string }) => name.slice(word.length),
        );
      const decomposed = word.toLowerCase().normalize('NFD');
      assert.deepEqual(await find(decomposed), ['%one', '_two']);
      assert.deepEqual(await find(`${word}%`), ['%one']);
      assert.deepEqual([await find(`${word}_t`), await find(`${word}x`)], [['_two'], []]);
    });

    it('A label that is longer when it is folded is found by its beginning and by all of it', async () => {
      const { token } = await newAccount(service().url);
      const word = newName('long');
      const name = word + '\ufdfa'.repeat(64 - word.length);
      await newItem(service().url, token, { tags: [name] });
      for (const length of [word.length, word.length + 1, 64]) {
        const { items } = await get(`/api/content/tags?prefix=${encodeURIComponent(name.slice(0, length))}`);
        assert.deepEqual(items, [{ name, count: 1 }], String(length));
      }
      await until(async () => !(await service().store.read(hasLabelChanges, null)), 'the labels are counted');
      const { items } = await get(`/api/content/tags?prefix=${encodeURIComponent(name)}`);
      assert.deepEqual(items, [{ name, count: 1 }]);
      assert.equal([...labelKey(name)].length, 64);
    });
  }),
);

for (const { name, newPlace } of PLACES)
  it(`A page of labels is the same before its changes are added up, while they are, and after, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const operationsUrl = new URL('../support/all-operations.ts', import.meta.url).href;
    const store = await openStoreOn(t, readConfig({ DATABASE_URL: place.url }).database, { operationsUrl });
    await place.sql(
      `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
        VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
    );
    const fill = (from: number, to: number) =>
      place.sql(`WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, visibility)
        SELECT 1, 'T', 'c', 'c' || (i % 7), '["at all","t' || (i % 40) || '","u' || (i % 3) || '"]', 1, 1, 1,
          CASE WHEN i % 5 = 0 THEN 'members' ELSE 'public' END FROM n`);
    const pages = async () => {
      const found: object[] = [];
      for (const reader of ['account', 'stranger'] as const)
        for (const prefix of ['', 'T', 'u'])
          for (const kind of ['tag', 'category'] as const)
            for (let page = 1, last = 1; page <= last; page++) {
              const query = { kind, prefix, reader, page, per_page: 7 };
              const list = await store.read(listLabels, query);
              assert.ok(list, 'few changes wait');
              last = Math.ceil(list.total / 7) + 1;
              found.push(list);
            }
      return found;
    };
    /** The same, counted from the items. */
    const names = async () => {
      const items = await place.sql('SELECT tags FROM content WHERE visible = 1');
      const counts = new Map<string, number>();
      for (const { tags } of items)
        for (const tag of JSON.parse(String(tags))) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      return [...counts].map(([tag, count]) => `${tag} ${count}`).sort();
    };
    const listed = async () => {
      const list = await store.read(listLabels, {
        kind: 'tag',
        prefix: '',
        reader: 'account',
        page: 1,
        per_page: 100,
      });
      return list?.items.map((label) => `${label.name} ${label.count}`).sort();
    };
    for (const step of [
      () => fill(1, 300),
      () => place.sql('UPDATE content SET visible = 0 WHERE id % 40 IN (1, 2) OR id < 30'),
      () =>
        place.sql(
          `UPDATE content SET tags = '["z","t5"]', visibility = 'public' WHERE id BETWEEN 100 AND 120`,
        ),
      () => place.sql('UPDATE content SET visible = 1 WHERE id < 20', 'DELETE FROM content WHERE id > 250'),
    ]) {
      await step();
      const before = await pages();
      assert.deepEqual(await listed(), await names());
      while (await store.read(hasLabelChanges, null)) await store.write(countLabels, null);
      assert.deepEqual(await pages(), before);
      // A label that no item has any more leaves no row.
      assert.deepEqual(await place.sql('SELECT name FROM label_counts WHERE items = 0'), []);
    }
    await fill(1_000, 1_600);
    assert.equal(
      await store.read(listLabels, { kind: 'tag', prefix: '', reader: 'account', page: 1, per_page: 1 }),
      undefined,
    );
    await store.write(countLabels, null);
    assert.deepEqual(await listed(), await names());

    // Few changes with many labels: to fold them all would keep other requests waiting.
    while (await store.read(hasLabelChanges, null)) await store.write(countLabels, null);
    const tags = (item: number) => JSON.stringify(Array.from({ length: 32 }, (_, tag) => `x${item}-${tag}`));
    const rows = Array.from({ length: 40 }, (_, item) => `(1, 'T', 'c', '', '${tags(item)}', 1, 1, 1)`);
    await place.sql(
      `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at) VALUES ${rows.join()}`,
    );
    assert.equal(await listed(), undefined);
    await store.write(countLabels, null);
    assert.equal((await listed())?.length, 100);
  });
