import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';
import { idsOf, newWord } from './seen.ts';

onEveryEngine('Seen from outside, reading', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const { ask, done, member, write } = requestsTo(service);

    it('An item for members is there for every account, and is not for a stranger, even one who knows its tag', async () => {
      const [author, other] = [await member(), await member()];
      const word = newWord();
      const { id, slug } = await write(author, { visibility: 'members', title: word, tags: [word] });
      const read = await ask(other, 'GET', `/api/content/${id}`);
      assert.equal(read.body.data.visibility, 'members');
      for (const path of [
        `/api/content/${id}`,
        `/api/content/by-slug/${slug}`,
        `/api/content/${id}?fields=id`,
      ])
        for (const headers of [{}, { 'if-none-match': tagOf(read) }, { 'if-none-match': '*' }])
          assertFailure(await ask(undefined, 'GET', path, undefined, headers), 404, 'not_found');
      for (const query of [`keyword=${word}`, `tag=${word}`, `author=${author.id}`]) {
        const page = await done(undefined, 'GET', `/api/content?${query}`);
        assert.deepEqual([page.items, page.total], [[], 0], query);
        assert.deepEqual(idsOf(await done(other, 'GET', `/api/content?${query}`)), [id], query);
      }
      const tags = (who: typeof other | undefined) => done(who, 'GET', `/api/content/tags?prefix=${word}`);
      assert.deepEqual((await tags(undefined)).items, []);
      assert.deepEqual((await tags(other)).items, [{ name: word, count: 1 }]);
      await done(author, 'PUT', `/api/content/${id}`, { visibility: 'public' });
      assert.equal((await done(undefined, 'GET', `/api/content?keyword=${word}`)).total, 1);
    });

    it('A read with a refused token is that of a stranger, says that the token is invalid, and is kept by nobody', async () => {
      const author = await member();
      const word = newWord();
      const { id, slug } = await write(author, { title: word });
      await write(author, { title: word, visibility: 'members' });
      const list = `/api/content?keyword=${word}`;
      const item = `/api/content/${id}`;
      const stranger = tagOf(await ask(undefined, 'GET', item));
      const paths = [list, item, `${item}?fields=id`, `/api/content/by-slug/${slug}`, '/api/content/tags'];
      const seen = async (path: string, authorization: string, known?: string) => {
        const headers = { authorization, ...(known && { 'if-none-match': known }) };
        const answer = await ask(undefined, 'GET', path, undefined, headers);
        return [
          answer.status,
          ...['www-authenticate', 'cache-control'].map((name) => answer.headers.get(name)),
        ];
      };
      const invalid = 'Bearer realm="stoa", error="invalid_token"';
      for (const path of paths) {
        assert.deepEqual(await seen(path, 'Bearer x'), [200, invalid, 'no-store'], path);
        const own = await seen(path, `Bearer ${author.token}`);
        assert.deepEqual(own.slice(0, 2), [200, null], path);
        if (path !== '/api/content/tags') assert.equal(own[2], 'private, no-cache', path);
        assert.equal((await seen(path, 'Basic eDp4'))[1], null, `${path}: no token of ours`);
      }
      assert.deepEqual(await seen(item, 'Bearer x', stranger), [304, invalid, 'no-store']);
      assert.equal(
        (await ask(undefined, 'GET', list, undefined, { authorization: 'Bearer x' })).body?.data.total,
        1,
      );
    });

    it('A list is 304 until an item of it changes, and a list of an account is no list of a stranger', async () => {
      const author = await member();
      const word = newWord();
      const { id } = await write(author, { category: word });
      const path = `/api/content?category=${word}`;
      const known = async () => ({ 'if-none-match': tagOf(await ask(undefined, 'GET', path)) });
      const first = await known();
      assert.equal((await ask(undefined, 'GET', path, undefined, first)).status, 304);
      await write(author, { category: word, visibility: 'members' });
      const own = await ask(author, 'GET', path, undefined, first);
      assert.deepEqual([own.status, own.body?.data.total], [200, 2]);
      assert.match(own.headers.get('vary') ?? '', /\bAuthorization\b/i);
      await done(author, 'PUT', `/api/content/${id}`, { title: 'changed' });
      assert.equal((await ask(undefined, 'GET', path, undefined, first)).status, 200);
      const second = await known();
      await done(author, 'DELETE', `/api/content/${id}`);
      const last = await ask(undefined, 'GET', path, undefined, second);
      assert.deepEqual([last.status, last.body?.data.total], [200, 0]);
    });

    it('Members of the author come back equal by value, within their bounds, and set nothing else', async () => {
      const author = await member();
      const nested = (depth: number): object => (depth === 1 ? {} : { in: nested(depth - 1) });
      for (const meta of [{ a: [1, null, { b: 'č' }], id: 5, author: 'x' }, nested(8)]) {
        const { id } = await write(author, { meta });
        const read = await done(undefined, 'GET', `/api/content/${id}`);
        assert.deepEqual([read.meta, read.id, read.author.id], [meta, id, author.id]);
      }
      for (const meta of [[], 'x', 1, nested(9), { text: 'x'.repeat(17 * 1024) }]) {
        const body = { title: 't', content: 'c', meta };
        assertFailure(await ask(author, 'POST', '/api/content', body), 400, 'validation_failed');
      }
      const hostile = '{"title":"t","content":"c","meta":{"__proto__":{"role":"admin"}}}';
      const { status } = await ask(author, 'POST', '/api/content', hostile);
      assert.ok([200, 400].includes(status), `${status}`);
    });

    it('Language and members of the author are in the history and come back with a restoration', async () => {
      const author = await member();
      const { id } = await write(author, { meta: { a: 1 }, language: 'pt-BR' });
      const path = `/api/content/${id}`;
      await done(author, 'PUT', path, { meta: { b: 2 }, language: '' });
      const { meta, language } = await done(author, 'POST', `${path}/versions/1/restore`);
      assert.deepEqual([meta, language], [{ a: 1 }, 'pt-BR']);
      for (const wrong of ['not a tag!', 'x'.repeat(300), 5])
        assertFailure(await ask(author, 'PUT', path, { language: wrong }), 400, 'validation_failed');
    });

    it('An answer has the fields that were asked for and no other, and an unknown field is refused', async () => {
      const author = await member();
      const { id, slug, title } = await write(author, { title: newWord() });
      for (const path of [`/api/content/${id}`, `/api/content/by-slug/${slug}`])
        assert.deepEqual(await done(undefined, 'GET', `${path}?fields=title,id`), { id, title });
      const page = await done(undefined, 'GET', `/api/content?author=${author.id}&fields=id`);
      assert.deepEqual([page.items, page.total], [[{ id }], 1]);
      for (const fields of ['password_hash', 'id,,title', 'constructor'])
        for (const path of [`/api/content/${id}`, '/api/content'])
          assert.equal((await ask(undefined, 'GET', `${path}?fields=${fields}`)).status, 400, fields);
    });
  }),
);
