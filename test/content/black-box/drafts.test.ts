import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';
import { idsOf, newWord } from './seen.ts';

onEveryEngine('Seen from outside, drafts', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);

    it('A draft is there for its author, editors and admins, and not for any other person', async () => {
      const [author, other] = [await member(), await member()];
      const { id, slug } = await write(author, { status: 'draft', title: newWord() });
      const path = `/api/content/${id}`;
      for (const to of [path, `/api/content/by-slug/${slug}`]) {
        for (const who of [undefined, other]) assertFailure(await ask(who, 'GET', to), 404, 'not_found');
        for (const who of [author, await editor(), await admin()])
          assert.equal((await done(who, 'GET', to)).status, 'draft');
      }
      for (const [method, to, body] of [
        ['PUT', path, { title: 'x' }],
        ['PATCH', path, { title: 'x' }],
        ['DELETE', path],
        ['GET', `${path}/versions`],
        ['POST', `${path}/versions/1/restore`],
        ['POST', `${path}/publish`],
      ] as const)
        assertFailure(await ask(other, method, to, body), 404, 'not_found');
      assert.equal((await done(author, 'GET', path)).version, 1);
    });

    it('A draft is in no list, total, search or count of a person who may not see it', async () => {
      const [author, other] = [await member(), await member()];
      const word = newWord();
      const { id } = await write(author, { status: 'draft', title: word, category: word, tags: [word] });
      const lists = [`keyword=${word}`, `category=${word}`, `tag=${word}`, `author=${author.id}`];
      for (const who of [undefined, other]) {
        for (const query of lists) {
          const page = await done(who, 'GET', `/api/content?${query}`);
          assert.deepEqual([page.items, page.total], [[], 0], query);
        }
        for (const labels of ['tags', 'categories'])
          assert.deepEqual((await done(who, 'GET', `/api/content/${labels}?prefix=${word}`)).items, []);
      }
      for (const who of [author, await editor()]) {
        const page = await done(who, 'GET', `/api/content?status=draft&author=${author.id}`);
        assert.deepEqual([idsOf(page), page.total], [[id], 1]);
      }
      assert.equal((await done(other, 'GET', '/api/content?status=draft')).total, 0);
      assert.equal((await ask(undefined, 'GET', '/api/content?status=draft')).status, 401);
    });

    it('A draft that is published is found by all of its filters at once', async () => {
      const author = await member();
      const word = newWord();
      const { id } = await write(author, { status: 'draft', title: word, tags: [word] });
      await done(author, 'PUT', `/api/content/${id}`, { category: word });
      assert.equal((await done(author, 'POST', `/api/content/${id}/publish`)).status, 'published');
      for (const query of [`keyword=${word}`, `category=${word}`, `tag=${word}`])
        assert.deepEqual(idsOf(await done(undefined, 'GET', `/api/content?${query}`)), [id], query);
      assert.equal((await done(author, 'GET', `/api/content?status=draft`)).total, 0);
    });

    it('A draft beside a published item changes nothing that others read or find', async () => {
      const [author, other] = [await member(), await member()];
      const [word, hidden] = [newWord(), newWord()];
      const { id } = await write(author, { title: word, content: 'text', tags: [word] });
      const path = `/api/content/${id}`;
      const before = await ask(undefined, 'GET', path);
      await done(author, 'PUT', `${path}/draft`, { title: hidden, tags: [hidden], category: hidden });
      const after = await ask(undefined, 'GET', path);
      assert.deepEqual([after.body.data, tagOf(after)], [before.body.data, tagOf(before)]);
      for (const query of [`keyword=${hidden}`, `tag=${hidden}`, `category=${hidden}`])
        for (const who of [undefined, other])
          assert.equal((await done(who, 'GET', `/api/content?${query}`)).total, 0, query);
      assert.deepEqual(idsOf(await done(undefined, 'GET', `/api/content?keyword=${word}`)), [id]);
      assert.equal((await ask(undefined, 'GET', `${path}/draft`)).status, 401);
      for (const [method, body] of [['GET'], ['PUT', { title: 'x' }], ['DELETE']] as const) {
        const { status } = await ask(other, method, `${path}/draft`, body);
        assert.ok([403, 404].includes(status), `${method}: ${status}`);
      }
      for (const who of [author, await editor(), await admin()]) {
        const draft = await done(who, 'GET', `${path}/draft`);
        assert.deepEqual([draft.title, draft.content], [hidden, 'text']);
      }
    });
  }),
);
