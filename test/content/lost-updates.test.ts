import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, type CallOptions, call, newAccount, newItem, newName } from '../support/client.ts';
import { ENGINES, onEveryEngine, sameDatabase, type TestEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

const WRITERS = 16;
const ROUNDS = 3;

onEveryEngine('Changes with conditions', (engine) => {
  it('A lost update is made by none of 16 writers at two instances that send If-Match', async (t) => {
    const shared = await sameDatabase(t, engine);
    const services = [await startService(t, shared), await startService(t, shared)];
    const [{ url }] = services as [(typeof services)[0]];
    const { token } = await newAccount(url);
    const { id } = await newItem(url, token, { content: '' });
    const path = `/api/content/${id}`;
    for (let round = 0; round < ROUNDS; round++) {
      const read = await call(url, 'GET', path);
      const headers = { 'if-match': read.headers.get('etag') ?? '' };
      const answers = await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => {
          const body = { content: `${read.body.data.content} ${round}.${writer}` };
          return call(services[writer % 2]?.url ?? url, writer % 3 ? 'PUT' : 'PATCH', path, {
            token,
            headers,
            body,
          });
        }),
      );
      const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
      assert.equal(winner?.status, 200);
      for (const each of others) {
        assertFailure(each, 412, 'version_conflict');
        assert.equal(each.body.data.version, round + 2);
      }
      assert.equal(winner.headers.get('etag'), (await call(url, 'GET', path)).headers.get('etag'));
    }
    const { body } = await call(url, 'GET', path);
    assert.equal(body.data.version, ROUNDS + 1);
    assert.equal(body.data.content.split(' ').length, ROUNDS + 1, 'each winner had read the one before');
  });

  describeOnService(engine, 'on one service', (service) => {
    const ask = (method: string, path: string, options: CallOptions = {}) =>
      call(service().url, method, path, options);
    const tagOf = ({ headers }: Answer) => headers.get('etag') ?? '';

    it('A lost update is refused with the newest version, its author and time, and what it changed', async () => {
      const [author, editor] = [await newAccount(service().url), await newWithRole(service(), 'editor')];
      const body = { title: 'one', content: 'text' };
      const created = await ask('POST', '/api/content', { token: author.token, body });
      const path = `/api/content/${created.body.data.id}`;
      const headers = { 'if-match': tagOf(created) };
      const second = await ask('PUT', path, { token: author.token, headers, body: { category: 'c' } });
      assert.equal(second.status, 200);
      const third = await ask('PATCH', path, { token: editor.token, body: { tags: ['a'], title: 'two' } });
      for (const [method, to, change] of [
        ['PUT', path, { title: 'mine' }],
        ['PATCH', path, { title: 'mine' }],
        ['DELETE', path],
        ['POST', `${path}/versions/1/restore`],
      ] as const) {
        const answer = await ask(method, to, {
          token: author.token,
          headers,
          ...(change && { body: change }),
        });
        assertFailure(answer, 412, 'version_conflict');
        const { error: _, request_id: __, ...told } = answer.body.data;
        assert.deepEqual(told, {
          version: 3,
          at: third.body.data.updated_at,
          by: { id: editor.id, username: editor.username },
          changed: ['category', 'title', 'tags'],
        });
      }
      assert.deepEqual((await ask('GET', path)).body.data, third.body.data);
      const unknown = { 'if-match': '"1-zz-x"' };
      const answer = await ask('DELETE', path, { token: author.token, headers: unknown });
      assert.equal('changed' in answer.body.data, false, 'that version was never there');
      // As of a copy of the database that was put back: its version 1 had something else.
      const another = { 'if-match': tagOf(created).replace(/^"1-[0-9a-z]+-/, '"1-1-') };
      const refused = await ask('DELETE', path, { token: author.token, headers: another });
      assertFailure(refused, 412, 'version_conflict');
      assert.equal('changed' in refused.body.data, false, 'nobody knows what that state had');
    });

    it('A lost update is prevented only by a strong tag, also in a list, and by a star where there is an item', async () => {
      const { token } = await newAccount(service().url);
      const { id } = await newItem(service().url, token);
      const path = `/api/content/${id}`;
      const put = async (value: string) => {
        const headers = { 'if-match': value };
        return ask('PUT', path, { token, headers, body: { title: newName() } });
      };
      const tag = async () => tagOf(await ask('GET', path));
      for (const value of ['*', ' * ']) assert.equal((await put(value)).status, 200, value);
      for (const around of ['@', '"a", W/"b",@', '@ , "z"', ',, @,'])
        assert.equal((await put(around.replace('@', await tag()))).status, 200, around);
      for (const value of [`W/${await tag()}`, '"x"', '""', `"x", W/${await tag()}`])
        assertFailure(await put(value), 412, 'version_conflict');
      for (const value of ['x', '"x', '"x" "y"', `${await tag()}x`, '*, "x"', 'w/"x"', '"a b"'])
        assertFailure(await put(value), 400, 'malformed_request');
      const headers = { 'if-match': '*' };
      assertFailure(
        await ask('PUT', '/api/content/999999', { token, headers, body: { title: 't' } }),
        404,
        'not_found',
      );
      const other = await newAccount(service().url);
      const refused = await ask('DELETE', path, { token: other.token, headers: { 'if-match': '"x"' } });
      assertFailure(refused, 403, 'forbidden');
      assert.equal((await ask('DELETE', path, { token, headers: { 'if-match': await tag() } })).status, 200);
    });

    it('A lost update is none where only the name of the author changed, which an answer with another tag shows', async () => {
      const author = await newAccount(service().url);
      const { id } = await newItem(service().url, author.token);
      const path = `/api/content/${id}`;
      const before = tagOf(await ask('GET', path));
      const username = newName();
      assert.equal(
        (await ask('PUT', '/api/users/me', { token: author.token, body: { username } })).status,
        200,
      );
      const after = await ask('GET', path, { headers: { 'if-none-match': before } });
      assert.deepEqual([after.status, after.body.data.author.username], [200, username]);
      const options = { token: author.token, headers: { 'if-match': before }, body: { title: 'mine' } };
      assert.equal((await ask('PUT', path, options)).status, 200);
    });

    it('A lost update is not looked for without the header: the last change wins', async () => {
      const { token } = await newAccount(service().url);
      const { id } = await newItem(service().url, token);
      for (const title of ['one', 'two'])
        assert.equal((await ask('PUT', `/api/content/${id}`, { token, body: { title } })).status, 200);
      assert.equal((await ask('DELETE', `/api/content/${id}`, { token })).status, 200);
    });

    answersThatTheClientHas(service, engine);
    mergePatches(service, engine);
  });
});

/** What headers and schemas decide is the same on every engine. */
function isFirst(engine: TestEngine): boolean {
  return engine === ENGINES[0];
}

function answersThatTheClientHas(service: () => RunningService, engine: TestEngine): void {
  const ask = (method: string, path: string, options: CallOptions = {}) =>
    call(service().url, method, path, options);

  it('An answer that the client has already is 304 until the item changes, whatever Cache-Control it sent', async () => {
    const { token } = await newAccount(service().url);
    const { id } = await newItem(service().url, token);
    const path = `/api/content/${id}`;
    const first = await ask('GET', path);
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"1-/);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
      for (const cache of ['no-cache', 'max-age=0', 'no-store'])
        for (const method of ['GET', 'HEAD']) {
          const headers = { 'if-none-match': known, 'cache-control': cache };
          const answer = await ask(method, path, { headers });
          assert.deepEqual([answer.status, answer.body, answer.headers.get('etag')], [304, undefined, tag]);
          // Fastify says 0 to HEAD.
          if (method === 'GET') assert.equal(answer.headers.get('content-length'), null);
        }
    // A condition that cannot be read counts as absent.
    for (const unknown of ['"x"', '"1"', 'x', ''])
      assert.equal((await ask('GET', path, { headers: { 'if-none-match': unknown } })).status, 200);
    const changed = await ask('PUT', path, { token, body: { title: 'two' } });
    const again = await ask('GET', path, { headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, again.headers.get('etag')], [200, changed.headers.get('etag')]);
    assert.equal((await ask('DELETE', path, { token })).status, 200);
    assertFailure(await ask('GET', path, { headers: { 'if-none-match': '*' } }), 404, 'not_found');
  });

  if (isFirst(engine))
    it('An answer says who may keep it: only the client where a token was sent', async () => {
      const { token } = await newAccount(service().url);
      const { id } = await newItem(service().url, token);
      const own = await ask('GET', `/api/content/${id}`, { token });
      const public_ = await ask('GET', `/api/content/${id}`);
      const about = ({ headers }: Answer) => [headers.get('cache-control'), headers.get('vary')];
      assert.deepEqual(about(own), ['private, no-cache', 'Authorization']);
      assert.deepEqual(about(public_), ['no-cache', 'Authorization']);
      assert.equal(own.headers.get('etag'), public_.headers.get('etag'));
      const known = { 'if-none-match': own.headers.get('etag') ?? '' };
      assert.deepEqual(about(await ask('GET', `/api/content/${id}`, { token, headers: known })), about(own));
      const gone = await ask('GET', '/api/content/999999');
      assert.deepEqual(about(gone), ['no-store', null]);
    });
}

function mergePatches(service: () => RunningService, engine: TestEngine): void {
  const FULL = { title: 'Old', content: 'old text', category: 'old', tags: ['x', 'y'] };
  const start = async () => {
    const { token } = await newAccount(service().url);
    const item = await newItem(service().url, token, FULL);
    const patch = (body: unknown, headers: Record<string, string> = {}) =>
      call(service().url, 'PATCH', `/api/content/${item.id}`, { token, body, headers });
    return { item, patch };
  };

  for (const [change, expected] of [
    [{ title: 'New' }, { title: 'New' }],
    [{ category: null }, { category: '' }],
    [
      { tags: null, content: '' },
      { tags: [], content: '' },
    ],
    [
      { category: 'new', tags: [' z ', 'z'] },
      { category: 'new', tags: ['z'] },
    ],
  ])
    it(`A merge patch changes what it names: ${JSON.stringify(change)}`, async () => {
      const { item, patch } = await start();
      const { status, body } = await patch(change);
      assert.equal(status, 200);
      const { updated_at } = body.data;
      assert.deepEqual(body.data, { ...item, ...expected, version: 2, updated_at });
    });

  it('A merge patch without a member changes nothing', async () => {
    const { item, patch } = await start();
    assert.deepEqual((await patch({})).body.data, item);
  });

  if (isFirst(engine))
    it('A merge patch removes no member that an item needs, and names no unknown one', async () => {
      const { patch } = await start();
      for (const [body, field] of [
        [{ title: null }, 'title'],
        [{ content: null }, 'content'],
        [{ title: '' }, 'title'],
        [{ titel: 'x' }, 'titel'],
        [{ tags: [null] }, 'tags.0'],
        [[], 'body'],
      ] as const)
        assertFailure(await patch(body), 400, 'validation_failed', { field });
    });

  if (isFirst(engine))
    it('A merge patch has its own media type, which the refusal of another one names', async () => {
      const { item, patch } = await start();
      for (const type of ['application/json', 'text/plain', 'application/json-patch+json']) {
        const answer = await patch({ title: 'New' }, { 'content-type': type });
        assertFailure(answer, 415, 'unsupported_media_type');
        assert.equal(answer.headers.get('accept-patch'), 'application/merge-patch+json');
        assert.match(answer.body.message ?? '', /merge-patch/);
      }
      const utf8 = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
      assert.equal((await patch({ title: 'New' }, utf8)).status, 200);
      const { token } = await newAccount(service().url);
      const merge = { 'content-type': 'application/merge-patch+json' };
      const put = { token, headers: merge, body: { title: 'x' } };
      const answer = await call(service().url, 'PUT', `/api/content/${item.id}`, put);
      assertFailure(answer, 415, 'unsupported_media_type');
      assert.equal(answer.headers.get('accept-patch'), null);
    });
}
