import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { SLUG_BYTES } from '../../src/domain/slug.ts';
import { call, newItem } from '../support/client.ts';
import { commandsOfSuite, countsOf, itemsOf, refusalsIn } from '../support/content-commands.ts';
import { ENGINES, onEveryEngine, temporaryFolder } from '../support/engines.ts';

onEveryEngine('Imports of content', (engine) => {
  // Files are read alike on every engine.
  const isFirst = engine === ENGINES[0];
  const start = commandsOfSuite(engine);

  it('A changed file changes its item by one version, and nothing is made twice', async (t) => {
    const { url, importFrom, author } = await start();
    const folder = await temporaryFolder(t);
    const path = join(folder, 'a.md');
    await writeFile(path, '---\ntitle: One\ntags: [x]\nweight: 3\n---\ntext');
    const run = () => importFrom(folder, { author: author.username, source: 'site' });
    assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
    const [before] = await itemsOf(url, author);
    assert.deepEqual(
      [before.title, before.tags, before.meta, before.version],
      ['One', ['x'], { weight: 3 }, 1],
    );

    await call(url, 'PUT', `/api/content/${before.id}`, { token: author.token, body: { title: 'By hand' } });
    assert.deepEqual(countsOf(await run()), [0, 0, 1, 0]);
    await writeFile(path, '---\ntitle: Two\n---\ntext');
    await rename(folder, `${folder}-moved`);
    t.after(() => rm(`${folder}-moved`, { recursive: true, force: true }));
    const moved = () => importFrom(`${folder}-moved`, { author: author.username, source: 'site' });
    assert.deepEqual(countsOf(await moved()), [0, 1, 0, 0]);
    const [after, ...others] = await itemsOf(url, author);
    assert.deepEqual(
      [after.id, after.title, after.tags, after.meta, after.version],
      [before.id, 'Two', [], undefined, 3],
    );
    assert.deepEqual(others, []);
    const first = await call(url, 'GET', `/api/content/${before.id}/versions/1`, { token: author.token });
    assert.deepEqual([first.body.data.title, first.body.data.tags], ['One', ['x']]);

    await call(url, 'DELETE', `/api/content/${before.id}`, { token: author.token });
    assert.deepEqual(countsOf(await moved()), [0, 0, 1, 0]);
    await writeFile(join(`${folder}-moved`, 'a.md'), 'changed');
    const refused = await moved();
    assert.deepEqual([refused.code, countsOf(refused)], [1, [0, 0, 0, 1]]);
    assert.match(refused.stdout, /^a\.md:1: Its item \d+ is in the trash; /m);
  });

  it('Lines with one id make one item, which has the last of them, also where the import reads them at once', async (t) => {
    const { url, importFrom, author } = await start();
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (id: number, title: string) => JSON.stringify({ id, title, content: 'c', slug: title });
    await writeFile(file, [lineOf(1, 'first'), lineOf(2, 'other'), lineOf(1, 'last')].join('\n'));
    const run = () => importFrom(file);
    assert.deepEqual(countsOf(await run()), [2, 1, 0, 0]);
    const titles = (await itemsOf(url, author)).map(({ title }: { title: string }) => title);
    assert.deepEqual(titles.toSorted(), ['last', 'other']);
    await writeFile(file, lineOf(1, 'last'));
    assert.deepEqual(countsOf(await run()), [0, 0, 1, 0], 'the last line is what is known');
  });

  if (isFirst) {
    it('Lines of a file that begins with a byte order mark are those of the same file without one', async (t) => {
      const { importFrom } = await start();
      const file = join(await temporaryFolder(t), 'lines.ndjson');
      const line = JSON.stringify({ title: 't', content: 'c' });
      await writeFile(file, `\ufeff${line}\n`);
      assert.deepEqual(countsOf(await importFrom(file)), [1, 0, 0, 0]);
      await writeFile(file, line);
      assert.deepEqual(countsOf(await importFrom(file)), [0, 0, 1, 0]);
    });
  }

  it('An import gives an item the slug back that the item had before', async (t) => {
    const { url, importFrom, author } = await start();
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    for (const [slug, counts] of [
      ['earlier', [1, 0, 0, 0]],
      ['later', [0, 1, 0, 0]],
      ['earlier', [0, 1, 0, 0]],
    ] as const) {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content: 'c', slug }));
      assert.deepEqual(countsOf(await importFrom(file)), counts);
    }
    assert.equal((await itemsOf(url, author))[0].slug, 'earlier');
  });

  it('An item whose slug another item has keeps its numbered slug in each later import', async (t) => {
    const { url, importFrom, author } = await start();
    await newItem(url, author.token, { title: 'Other', content: 'c', slug: 'taken' });
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    for (const [content, counts] of [
      ['first', [1, 0, 0, 0]],
      ['second', [0, 1, 0, 0]],
    ] as const) {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content, slug: 'taken' }));
      const result = await importFrom(file);
      assert.deepEqual(countsOf(result), counts, result.stdout);
      const { body } = await call(url, 'GET', '/api/content/by-slug/taken-2');
      assert.equal(body.data?.content, content, JSON.stringify(body));
    }
  });

  it('Two items of an import with one slug of the greatest length are both found by the slugs that they get', async (t) => {
    const { url, importFrom, author } = await start();
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (id: number) =>
      JSON.stringify({ id, title: `${id}`, content: 'c', slug: 'a'.repeat(SLUG_BYTES) });
    await writeFile(file, [lineOf(1), lineOf(2)].join('\n'));
    assert.deepEqual(countsOf(await importFrom(file)), [2, 0, 0, 0]);
    const items: { id: number; slug: string }[] = await itemsOf(url, author);
    for (const { id, slug } of items) {
      const { status, body } = await call(url, 'GET', `/api/content/by-slug/${slug}`);
      assert.deepEqual([status, body.data?.id], [200, id], slug);
    }
  });

  it('An item that its own write refuses is named with its reason, and the items beside it are imported', async (t) => {
    const { url, importFrom, author } = await start();
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'a.md'), 'first');
    const run = () => importFrom(folder);
    assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
    const [{ id }] = await itemsOf(url, author);
    const draft = await call(url, 'PUT', `/api/content/${id}/draft`, {
      token: author.token,
      body: { title: 'Next' },
    });
    assert.equal(draft.status, 200, JSON.stringify(draft.body));
    await writeFile(join(folder, 'a.md'), '---\nstatus: draft\n---\nsecond');
    await writeFile(join(folder, 'b.md'), 'other');
    const result = await run();
    assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 1]], result.stdout + result.stderr);
    assert.match(
      result.stdout,
      /^a\.md:1: This item has a draft beside it; publish or delete that first\.$/m,
    );
  });

  it('A changed line changes the draft beside its item, unless that was saved here later', async (t) => {
    const { url, importFrom, author } = await start();
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const run = async (draft?: object, members: object = {}) => {
      await writeFile(file, JSON.stringify({ id: 1, title: 't', content: 'c', ...members, draft }));
      return importFrom(file);
    };
    const draftOf = async (id: number) => {
      const { body } = await call(url, 'GET', `/api/content/${id}/draft`, { token: author.token });
      const { title, version, saved_at } = body.data;
      return [title, version, saved_at];
    };
    const [early, late] = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'];
    assert.deepEqual(countsOf(await run({ title: 'one', saved_at: early })), [1, 0, 0, 0]);
    const [{ id }] = await itemsOf(url, author);
    assert.deepEqual(await draftOf(id), ['one', 1, early]);
    assert.deepEqual(countsOf(await run({ title: 'two', saved_at: late })), [0, 1, 0, 0]);
    assert.deepEqual(await draftOf(id), ['two', 2, late]);
    assert.deepEqual(countsOf(await run({ title: 'three', saved_at: early })), [0, 0, 1, 0]);
    assert.deepEqual(countsOf(await run(undefined, { content: 'new' })), [0, 1, 0, 0]);
    assert.deepEqual(await draftOf(id), ['two', 2, late]);
    assert.equal((await call(url, 'GET', `/api/content/${id}`)).body.data.version, 2);
  });

  it('A line whose draft breaks a rule is refused with its reason', async (t) => {
    const { importFrom, author } = await start();
    const file = join(await temporaryFolder(t), 'lines.ndjson');
    const lineOf = (draft: unknown, members: object = {}) =>
      JSON.stringify({ title: 't', content: 'c', author: { username: author.username }, ...members, draft });
    await writeFile(
      file,
      [
        lineOf({ title: 'fine' }),
        lineOf({ title: 'x', saved_by: { username: 'nobody' } }),
        lineOf({ title: 'x' }, { status: 'draft' }),
        lineOf({ title: '' }),
        lineOf({ slug: 'x' }),
        lineOf({ saved_at: '2999-01-01T00:00:00Z' }),
        lineOf(true),
      ].join('\n'),
    );
    const result = await importFrom(file, {});
    assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 6]], result.stdout);
    assert.deepEqual(refusalsIn(result).toSorted(), [
      'lines.ndjson:2: There is no account "nobody"; name another one with --author.',
      'lines.ndjson:3: draft is what a published item will be; this item is a draft itself.',
      'lines.ndjson:4: draft.title must have at least 1 character.',
      'lines.ndjson:5: There is no member "slug" here; there are title, content, category, tags, language, meta, publish_at, over_version, saved_at and saved_by.',
      'lines.ndjson:6: draft.saved_at must be a past time from 1970 on.',
      'lines.ndjson:7: draft must be a JSON object.',
    ]);
  });
});
