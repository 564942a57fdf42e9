import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { requestsTo } from './requests.ts';
import { idsOf, newWord } from './seen.ts';

onEveryEngine('Seen from outside, finding', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, write } = requestsTo(service);
    const list = (query: string) => done(undefined, 'GET', `/api/content?${query}`);

    it('Several tags find the items that have all of them, any of them, or both', async () => {
      const author = await member();
      const [a, b, c] = [newWord(), newWord(), newWord()];
      const ab = await write(author, { tags: [a, b] });
      const bc = await write(author, { tags: [b, c] });
      const only = await write(author, { tags: [a] });
      for (const [query, ids] of [
        [`tag=${a}&tag=${b}`, [ab.id]],
        [`any_tag=${a}&any_tag=${c}`, [ab.id, bc.id, only.id]],
        [`tag=${b}&any_tag=${a}&any_tag=${c}`, [ab.id, bc.id]],
        [`tag=${a}&tag=${b}&tag=${c}`, []],
        [`tag=${a}&tag=${a}`, [ab.id, only.id]],
      ] as const) {
        const page = await list(`${query}&sort=oldest`);
        assert.deepEqual([idsOf(page), page.total], [ids, ids.length], query);
      }
      for (const name of ['tag', 'any_tag']) {
        const nine = Array.from({ length: 9 }, (_, n) => `${name}=t${n}`).join('&');
        assertFailure(await ask(undefined, 'GET', `/api/content?${nine}`), 400, 'validation_failed');
      }
    });

    it('A language finds the items with its tag in any case, no longer tag, and refuses what is no tag', async () => {
      const author = await member();
      const [german, austrian, upper] = [
        await write(author, { language: 'de' }),
        await write(author, { language: 'de-AT' }),
        await write(author, { language: 'DE', category: 'notes' }),
      ];
      await write(author);
      for (const [query, ids] of [
        ['language=de', [german.id, upper.id]],
        ['language=De', [german.id, upper.id]],
        ['language=de-at', [austrian.id]],
        ['language=de&category=notes', [upper.id]],
        ['language=fr', []],
      ] as const)
        for (const sort of ['id', 'oldest']) {
          const page = await list(`author=${author.id}&${query}&sort=${sort}`);
          assert.deepEqual([idsOf(page), page.total], [ids, ids.length], query);
        }
      assert.equal((await list(`author=${author.id}&language=`)).total, 4);
      const walk = await list(`author=${author.id}&language=de&per_page=1&cursor=`);
      assert.deepEqual(idsOf(await list(`author=${author.id}&language=de&cursor=${walk.next_cursor}`)), [
        upper.id,
      ]);
      for (const wrong of ['german+', 'deutschland', 'a'.repeat(65)])
        assertFailure(
          await ask(undefined, 'GET', `/api/content?language=${wrong}`),
          400,
          'validation_failed',
        );
      await done(author, 'PATCH', `/api/content/${german.id}`, { language: 'fr' });
      assert.deepEqual(idsOf(await list(`author=${author.id}&language=fr`)), [german.id]);
      assert.equal((await list(`author=${author.id}&language=de`)).total, 1);
    });

    it('Two ranges of time that meet have each item exactly once', async () => {
      const author = await member();
      const items = [await write(author), await write(author), await write(author)];
      await done(author, 'PUT', `/api/content/${items[0].id}`, { title: 'changed' });
      for (const name of ['created', 'updated'])
        for (const { [`${name}_at`]: at } of (await list(`author=${author.id}`)).items) {
          const query = (edge: string) => `author=${author.id}&${name}_${edge}=${encodeURIComponent(at)}`;
          const [before, from] = [await list(query('before')), await list(query('from'))];
          assert.equal(before.total + from.total, 3);
          assert.deepEqual(
            [...idsOf(before), ...idsOf(from)].toSorted(),
            items.map(({ id }) => id).toSorted(),
          );
          assert.ok(from.items.some((each: Record<string, string>) => each[`${name}_at`] === at));
        }
      for (const wrong of ['yesterday', '2026-13-01T00:00:00Z', '1'])
        assertFailure(
          await ask(undefined, 'GET', `/api/content?created_from=${wrong}`),
          400,
          'validation_failed',
        );
    });

    it('Each order is complete, its pages meet, and the newest order is the oldest one reversed', async () => {
      const author = await member();
      const ids: number[] = [];
      for (const title of ['b', 'c', 'a', 'd', 'e']) ids.push((await write(author, { title })).id);
      // Two changes of one millisecond have no order.
      const written = Date.now();
      await until(() => Date.now() > written, 'a millisecond has passed');
      await done(author, 'PUT', `/api/content/${ids[1]}`, { content: 'changed' });
      const order = async (sort: string) => {
        const pages: number[] = [];
        for (const page of [1, 2, 3])
          pages.push(...idsOf(await list(`author=${author.id}&sort=${sort}&per_page=2&page=${page}`)));
        return pages;
      };
      const [b, c, a, d, e] = ids;
      assert.deepEqual(await order('oldest'), ids);
      assert.deepEqual(await order('newest'), ids.toReversed());
      assert.deepEqual(await order('title'), [a, b, c, d, e]);
      assert.equal((await order('changed'))[0], c);
      for (const sort of ['relevance', 'best', ''])
        assert.equal((await ask(undefined, 'GET', `/api/content?sort=${sort}`)).status, 400, sort);
    });

    it('A search by relevance has the phrase in the title first, then its words there, then the text', async () => {
      const author = await member();
      const [x, y] = [newWord(), newWord()];
      const titled = (title: string, content = 'text') => write(author, { title, content });
      const text = await titled('other', `${x} ${y}`);
      const phrase = await titled(`the ${x} ${y}`);
      const words = await titled(`${y} and ${x}`);
      const newer = await titled(`${x} ${y}`, `${x} ${x} ${x}`);
      const draft = await write(author, { title: `${x} ${y}`, status: 'draft' });
      const page = await list(`keyword=${x}+${y}&sort=relevance`);
      assert.deepEqual(idsOf(page), [newer.id, phrase.id, words.id, text.id]);
      assert.equal(page.total, 4);
      assert.ok(!idsOf(page).includes(draft.id));
    });

    it('A highlight counts code points, so that astral letters and marks before a word shift nothing', async () => {
      const author = await member();
      const word = newWord();
      const title = `\u{1F3DB}\u{1F3DB} ${word}`;
      await write(author, { title, content: `<b>${word}</b> ${`${word} `.repeat(40)}` });
      const { items } = await list(`keyword=${word}&highlights=true`);
      const [{ highlights, content }] = items;
      assert.deepEqual(highlights.title, [[3, 3 + word.length]]);
      assert.equal(highlights.content.length, 20);
      for (const [from, to] of highlights.content) assert.equal([...content].slice(from, to).join(''), word);
      assert.equal((await ask(undefined, 'GET', '/api/content?highlights=yes')).status, 400);
    });

    it('A tag that an editor renames is merged: an item with both tags has it once, and counts are exact', async () => {
      const [author, one] = [await member(), await editor()];
      const [old, kept] = [newWord(), newWord()];
      for (const tags of [[old], [old, kept], [kept]]) await write(author, { tags });
      const drafted = await write(author, { tags: [old], status: 'draft' });
      const path = `/api/content/tags/${old}`;
      assert.equal((await ask(undefined, 'PUT', path, { name: kept })).status, 401);
      assertFailure(await ask(author, 'PUT', path, { name: kept }), 403, 'forbidden');
      const count = async (name: string) =>
        (await done(undefined, 'GET', `/api/content/tags?prefix=${name}`)).items;
      assert.deepEqual(await count(old), [{ name: old, count: 2 }]);
      assert.equal((await done(one, 'PUT', path, { name: kept })).name, kept);
      await until(
        async () => (await list(`tag=${old}`)).total === 0 && (await list(`tag=${kept}`)).total === 3,
        'the items have the new tag',
      );
      assert.deepEqual([await count(old), await count(kept)], [[], [{ name: kept, count: 3 }]]);
      const tagOfDraft = async () => (await done(author, 'GET', `/api/content/${drafted.id}`)).tags[0];
      await until(async () => (await tagOfDraft()) === kept, 'the draft has the new tag');
      for (const { tags } of (await list(`tag=${kept}`)).items) assert.deepEqual(tags, [kept]);
    });
  }),
);
