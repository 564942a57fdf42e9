import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { countsOf, itemsOf, startWithCommands } from '../support/content-commands.ts';
import { onEveryEngine, temporaryFolder } from '../support/engines.ts';

onEveryEngine('Content that is exported and imported elsewhere', (engine) => {
  it('Drafts beside items come back from lines elsewhere as they were, and as the same lines', async (t) => {
    const here = await startWithCommands(t, engine);
    const { url, author } = here;
    const editor = await newAccount(url);
    await here.store.write(setRole, { account: editor.email, role: 'editor', now: Date.now() });
    const put = async (path: string, { token }: Account, body: object) => {
      const answer = await call(url, 'PUT', `/api/content/${path}`, { token, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const text = { content: 'text', category: 'notes', tags: ['x'], language: 'en', meta: { weight: 3 } };
    const made = async (title: string) => (await newItem(url, author.token, { title, ...text })).id;
    const [whole, emptied, waiting, older] = [
      await made('whole'),
      await made('emptied'),
      await made('waiting'),
      await made('older'),
    ];
    await made('without');
    const [newText, newMeta] = ['new '.repeat(1_000), { a: [1, { b: null }] }];
    const next = {
      title: 'Next',
      content: newText,
      category: 'c',
      tags: ['y', 'z'],
      language: 'de',
      meta: newMeta,
    };
    await put(`${whole}/draft`, editor, next);
    await put(`${emptied}/draft`, author, { category: '', tags: [], language: '', meta: {} });
    await put(`${waiting}/draft`, author, { publish_at: '2100-01-01T00:00:00.000Z' });
    await put(`${older}/draft`, author, { title: 'Newer' });
    await put(`${older}`, author, { content: 'changed meanwhile' });
    const folder = await temporaryFolder(t);
    const [file, again] = [join(folder, 'all.ndjson'), join(folder, 'again.ndjson')];
    assert.equal((await here.exportTo(file)).code, 0);

    const there = await startWithCommands(t, engine);
    // Ids are other ones there.
    await newItem(there.url, there.author.token, { title: 'there already', content: '' });
    const writers = [
      await newAccount(there.url, author.username),
      await newAccount(there.url, editor.username),
    ];
    const [first] = writers;
    assert.ok(first);
    assert.deepEqual(countsOf(await there.importFrom(file, {})), [5, 0, 0, 0]);
    assert.deepEqual(countsOf(await there.importFrom(file, {})), [0, 0, 5, 0]);
    assert.equal((await there.exportTo(again)).code, 0);
    const [, ...lines] = (await readFile(again, 'utf8')).replace(/"id":\d+/g, '"id":0').split('\n');
    assert.deepEqual(lines, (await readFile(file, 'utf8')).replace(/"id":\d+/g, '"id":0').split('\n'));

    const items: { id: number; title: string }[] = await itemsOf(there.url, first);
    for (const id of [whole, emptied, waiting, older]) {
      const draftOf = async (from: string, token: string, item: number) => {
        const { body } = await call(from, 'GET', `/api/content/${item}/draft`, { token });
        const { id: _, saved_by, ...draft } = body.data;
        return { ...draft, saved_by: saved_by.username };
      };
      const { title } = (await call(url, 'GET', `/api/content/${id}`)).body.data;
      const copy = items.find((each) => each.title === title);
      assert.ok(copy);
      assert.deepEqual(await draftOf(there.url, first.token, copy.id), await draftOf(url, author.token, id));
      const published = await call(there.url, 'POST', `/api/content/${copy.id}/publish`, {
        token: first.token,
      });
      assert.equal(published.status, id === older ? 412 : 200, title);
    }
  });

  it('Former slugs lead to their items also after an export as lines or Markdown and an import elsewhere', async (t) => {
    const here = await startWithCommands(t, engine);
    const { token } = here.author;
    const moved = await newItem(here.url, token, { title: 'z', content: 'c' });
    for (const slug of ['y', 'a', 'now']) {
      const change = { token, body: { slug } };
      assert.equal((await call(here.url, 'PUT', `/api/content/${moved.id}`, change)).status, 200);
    }
    for (const name of ['all.ndjson', 'posts']) {
      const [path, again] = [join(await temporaryFolder(t), name), join(await temporaryFolder(t), name)];
      assert.equal((await here.exportTo(path)).code, 0);

      const there = await startWithCommands(t, engine);
      const other = await newItem(there.url, there.author.token, { title: 'a', content: 'there already' });
      const run = () => there.importFrom(path);
      assert.deepEqual(countsOf(await run()), [1, 0, 0, 0]);
      assert.deepEqual(countsOf(await run()), [0, 0, 1, 0]);
      const leadsTo = async (slug: string) => {
        const { status, body } = await call(there.url, 'GET', `/api/content/by-slug/${slug}`);
        return [status, body.data.moved_to?.slug ?? body.data.id];
      };
      assert.deepEqual(await leadsTo('z'), [301, 'now'], name);
      assert.deepEqual(await leadsTo('y'), [301, 'now'], name);
      assert.deepEqual(await leadsTo('a'), [200, other.id], 'the slug of another item stays its own');

      await call(there.url, 'DELETE', `/api/content/${other.id}`, { token: there.author.token });
      assert.equal((await there.exportTo(again)).code, 0);
      const written = name.endsWith('.ndjson')
        ? again
        : join(again, (await readdir(again)).toSorted()[1] ?? '');
      assert.match(await readFile(written, 'utf8'), /old_slugs\W+z\W+y\W/);
    }
  });
});
