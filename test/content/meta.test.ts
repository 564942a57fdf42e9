import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ContentPatch } from '../../src/content/body-contract.ts';
import { readLine, writeLine } from '../../src/transfer/content/line-contract.ts';
import { type CallOptions, call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { describeOnService } from '../support/suite.ts';

const META = { b: [1, { c: null }], a: 'é\n"', nested: { z: 1.5, y: -0.25, x: true }, empty: {}, '': 1e300 };
const KIB = 1024;

/** An object that is so deep. */
function deep(levels: number): object {
  return levels === 1 ? {} : { a: deep(levels - 1) };
}

/** An object whose JSON has so many bytes of UTF-8. */
function large(bytes: number): object {
  return { é: 'x'.repeat(bytes - '{"é":""}'.length - 1) };
}

onEveryEngine('The meta and the language of an item', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const ask = (method: string, path: string, options: CallOptions = {}) =>
      call(service().url, method, path, options);
    const start = async (members: object = {}) => {
      const { token } = await newAccount(service().url);
      const item = await newItem(service().url, token, members);
      const path = `/api/content/${item.id}`;
      const change = (method: string, body: unknown) => ask(method, path, { token, body });
      return { token, item, path, change };
    };
    const textOf = async (path: string) => (await fetch(service().url + path)).text();

    it('The meta and the language of an item are returned as they were given, members in their order, by a record and by a list', async () => {
      const { item, path } = await start({ meta: META, language: 'sr-Latn-RS' });
      assert.equal(JSON.stringify(item.meta), JSON.stringify(META));
      assert.equal(item.language, 'sr-Latn-RS');
      for (const place of [path, `/api/content?author=${item.author.id}`]) {
        const text = await textOf(place);
        assert.ok(text.includes(`"meta":${JSON.stringify(META)}`) && text.includes('"sr-Latn-RS"'), text);
      }
    });

    it('The meta and the language of an item are empty where nothing is given, and a change of other members keeps them', async () => {
      const { item } = await start();
      assert.ok(!('meta' in item) && !('language' in item));
      const { change } = await start({ meta: META, language: 'en' });
      const { body } = await change('PUT', { title: 'new' });
      assert.deepEqual([body.data.meta, body.data.language], [META, 'en']);
    });

    it('The meta and the language of an item are of each version: shown, compared, restored and exported with it', async () => {
      const { token, item, path, change } = await start({ meta: { a: 1 }, language: 'en' });
      await change('PUT', { meta: { a: 2, b: 3 }, language: 'de' });
      const first = (await ask('GET', `${path}/versions/1`, { token })).body.data;
      assert.deepEqual([first.meta, first.language], [{ a: 1 }, 'en']);
      const difference = (await ask('GET', `${path}/versions/2/difference`, { token })).body.data;
      assert.deepEqual(difference.removed, { language: 'en', meta: { a: 1 } });
      assert.deepEqual(difference.added, { language: 'de', meta: { a: 2, b: 3 } });
      const restored = (await ask('POST', `${path}/versions/1/restore`, { token })).body.data;
      assert.deepEqual([restored.meta, restored.language, restored.version], [{ a: 1 }, 'en', 3]);
      const { body } = await ask('GET', '/api/users/me/export', { token });
      const { content, content_versions } = body.data;
      assert.deepEqual([content[0].id, content[0].meta, content[0].language], [item.id, { a: 1 }, 'en']);
      assert.deepEqual(
        content_versions.map(({ meta, language }: { meta: object; language: string }) => [meta, language]),
        [
          [{ a: 1 }, 'en'],
          [{ a: 2, b: 3 }, 'de'],
        ],
      );
    });

    it('The meta and the language of an item make a version only where they change', async () => {
      const { change } = await start({ meta: META });
      assert.equal((await change('PUT', { meta: META })).body.data.version, 1);
      assert.equal((await change('PATCH', { meta: { a: META.a } })).body.data.version, 1);
      assert.equal((await change('PATCH', { meta: { a: 'b' } })).body.data.version, 2);
    });

    it('The meta and the language of an item are merged by a merge patch, in which null takes away', async () => {
      const { change } = await start({ meta: { keep: [1], gone: 1, deep: { a: 1, b: 2 }, text: 'x' } });
      const patch = {
        gone: null,
        absent: null,
        deep: { a: null, c: { d: null, e: [null] } },
        text: { toString: { a: 1 } },
      };
      const expected = { keep: [1], deep: { b: 2, c: { e: [null] } }, text: { toString: { a: 1 } } };
      const merged = (await change('PATCH', { meta: patch })).body.data;
      assert.equal(JSON.stringify(merged.meta), JSON.stringify(expected));
      assert.deepEqual((await change('PATCH', { meta: null, language: null })).body.data.meta, undefined);
    });

    it('A merge patch takes null for the members that its description names, and for no other', async () => {
      const { description = '', properties }: { description?: string; properties: object } = ContentPatch;
      const named = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      const { change } = await start({ status: 'draft', category: 'notes', tags: ['a'], meta: { a: 1 } });
      const taken: string[] = [];
      for (const member of Object.keys(properties)) {
        const answer = await change('PATCH', { [member]: null });
        if (answer.status === 200) taken.push(member);
        else assertFailure(answer, 400, 'validation_failed', { field: member });
      }
      assert.deepEqual(taken.toSorted(), named.toSorted());
    });

    it('The meta and the language of an item keep what each of 8 concurrent merge patches adds', async () => {
      const { path, change } = await start();
      const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => change('PATCH', { meta: { [name]: 1 } })));
      assert.deepEqual(Object.keys((await ask('GET', path)).body.data.meta).toSorted(), names);
    });

    it('The meta and the language of an item have 16 KiB and 8 levels at most, also after a merge, and no number that JSON would lose', async () => {
      const { path, change } = await start({ meta: large(16 * KIB) });
      assert.equal((await change('PUT', { meta: deep(8) })).status, 200);
      const before = (await ask('GET', path)).body.data;
      for (const meta of [large(16 * KIB + 1), deep(9), [], 'x', 1])
        for (const method of ['PUT', 'PATCH'])
          assertFailure(await change(method, { meta }), 400, 'validation_failed', { field: 'meta' });
      for (const method of ['PUT', 'PATCH']) {
        for (const number of ['-1e999', '12345678901234567890', '-9007199254740993']) {
          const body = `{"meta":{"a":[${number}]}}`;
          assertFailure(await change(method, body), 400, 'validation_failed', { field: 'meta' });
        }
      }
      assertFailure(await change('PUT', { meta: null }), 400, 'validation_failed', { field: 'meta' });
      assertFailure(await change('PUT', '{"meta":{"a":1,"a":2}}'), 400, 'validation_failed', { field: 'a' });
      assertFailure(await change('PUT', '{"meta":{"a":"\\u0000"}}'), 400, 'validation_failed', {
        field: 'meta.a',
      });
      assert.deepEqual((await ask('GET', path)).body.data, before);
      assert.equal((await change('PUT', { meta: large(10 * KIB) })).status, 200);
      const grown = await change('PATCH', { meta: { other: large(10 * KIB) } });
      assertFailure(grown, 400, 'validation_failed', { field: 'meta' });
    });

    it('The meta and the language of an item keep integers that a double has, measures, and long ids in quotes', async () => {
      const { change } = await start();
      const meta = { a: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 6e23, '12345678901234567890'] };
      assert.deepEqual((await change('PUT', { meta })).body.data.meta, meta);
    });

    it('The meta and the language of an item are tags of a well-formed language', async () => {
      const { change } = await start();
      for (const language of [
        'en',
        'pt-BR',
        'zh-Hant-TW',
        'sl-rozaj-biske',
        'de-DE-1996-x-own',
        'x-own',
        'es-419',
        '',
      ])
        assert.equal((await change('PUT', { language })).body.data.language, language || undefined);
      for (const language of [
        'e',
        'en_US',
        'english-of-somewhere',
        'en-',
        'en--US',
        'a-b',
        'x',
        'en '.repeat(30),
      ])
        assertFailure(await change('PUT', { language }), 400, 'validation_failed', { field: 'language' });
    });

    it('The meta and the language of an item may have thousands of values, in every body that takes an item and in a line of an import', async () => {
      const meta = { a: Array(6_000).fill(0) };
      const { token, path, item, change } = await start({ meta });
      assert.deepEqual(item.meta, meta);
      for (const method of ['PUT', 'PATCH'])
        assert.deepEqual((await change(method, { meta: { a: [method] } })).body.data.meta, { a: [method] });
      for (const method of ['PUT', 'PATCH'])
        assert.deepEqual((await change(method, { meta })).body.data.meta, meta, method);
      const drafted = { b: meta.a };
      const draft = await ask('PUT', `${path}/draft`, { token, body: { meta: drafted } });
      assert.deepEqual(draft.body.data.meta, drafted);
      const exported = { id: item.id, members: item, author: { username: 'ada', email: 'ada@example.org' } };
      assert.deepEqual(readLine(Buffer.from(writeLine(exported))).meta, meta);
    });

    it('The meta and the language of an item leave a list of many items short: a long meta is in it only where few items share a page', async () => {
      const { token, item } = await start({ meta: large(8 * KIB) });
      await newItem(service().url, token, { meta: { a: 1 } });
      const listed = async (query: string) =>
        (await ask('GET', `/api/content?author=${item.author.id}&${query}`)).body.data.items;
      assert.deepEqual((await listed('per_page=20'))[0].meta, large(8 * KIB));
      const [cut, whole] = await listed('per_page=100');
      assert.deepEqual(['meta' in cut, cut.meta_truncated, cut.content_truncated], [false, true, undefined]);
      assert.deepEqual([whole.meta, whole.meta_truncated], [{ a: 1 }, undefined]);
    });
  }),
);
