import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../../support/engines.ts';
import { assertFailure } from '../../support/expect.ts';
import { describeOnService } from '../../support/suite.ts';
import { requestsTo, tagOf } from './requests.ts';

const ORIGIN = 'https://app.example.org';

onEveryEngine('Seen from outside, lost updates', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      const { ask, done, member, write } = requestsTo(service);

      it('An update with the tag of an earlier version changes nothing, and one with the present tag does', async () => {
        const author = await member();
        const { id } = await write(author, { title: 'one' });
        const path = `/api/content/${id}`;
        const old = tagOf(await ask(author, 'GET', path));
        const second = await done(author, 'PUT', path, { title: 'two' });
        const refused = await ask(author, 'PUT', path, { title: 'mine', tags: ['t'] }, { 'if-match': old });
        assertFailure(refused, 412, 'version_conflict');
        assert.equal(refused.body.data.version, 2);
        assert.deepEqual(refused.body.data.changed, ['title']);
        const now = await ask(author, 'GET', path);
        assert.deepEqual(now.body.data, second);
        const third = await done(author, 'PUT', path, { title: 'mine' }, { 'if-match': tagOf(now) });
        assert.deepEqual([third.title, third.version], ['mine', 3]);
      });

      it('Of updates and deletions that are sent at once with one tag, exactly one is done', async () => {
        const author = await member();
        for (const deletions of [0, 2]) {
          const path = `/api/content/${(await write(author)).id}`;
          const headers = { 'if-match': tagOf(await ask(author, 'GET', path)) };
          const answers = await Promise.all(
            Array.from({ length: 12 }, (_, n) =>
              n >= 12 - deletions
                ? ask(author, 'DELETE', path, undefined, headers)
                : ask(author, n % 2 === 1 ? 'PUT' : 'PATCH', path, { title: `title ${n}` }, headers),
            ),
          );
          assert.equal(answers.filter(({ status }) => status === 200).length, 1);
          for (const { status } of answers) assert.ok([200, 404, 412].includes(status), `${status}`);
        }
      });

      it('An item that is changed and changed back has a new tag, so the first one is refused', async () => {
        const author = await member();
        const { id } = await write(author, { title: 'one' });
        const path = `/api/content/${id}`;
        const first = tagOf(await ask(author, 'GET', path));
        for (const title of ['two', 'one']) await done(author, 'PUT', path, { title });
        assert.equal((await ask(author, 'GET', path, undefined, { 'if-none-match': first })).status, 200);
        const refused = await ask(author, 'DELETE', path, undefined, { 'if-match': first });
        assertFailure(refused, 412, 'version_conflict');
      });

      it('A change that changes nothing keeps the version, the time, the tag and the history', async () => {
        const author = await member();
        const item = await write(author, { title: 'one', tags: ['a', 'b'] });
        const path = `/api/content/${item.id}`;
        const before = await ask(author, 'GET', path);
        for (const body of [{ title: 'one' }, { tags: [' a ', 'b', 'a'] }, { content: item.content }])
          for (const headers of [{}, { 'if-match': tagOf(before) }]) {
            assert.deepEqual(await done(author, 'PUT', path, body, headers), before.body.data);
            assert.deepEqual(await done(author, 'PATCH', path, body, headers), before.body.data);
          }
        assert.equal(tagOf(await ask(author, 'GET', path)), tagOf(before));
        assert.equal((await done(author, 'GET', `${path}/versions`)).total, 1);
      });

      it('A person without the right learns nothing of versions from a wrong tag', async () => {
        const [author, other] = [await member(), await member()];
        const { id } = await write(author);
        for (const tag of ['"wrong"', tagOf(await ask(author, 'GET', `/api/content/${id}`))])
          for (const method of ['PUT', 'PATCH', 'DELETE']) {
            const body = method === 'DELETE' ? undefined : { title: 'mine' };
            const headers = { 'if-match': tag };
            const path = `/api/content/${id}`;
            assert.equal((await ask(undefined, method, path, body, headers)).status, 401);
            assertFailure(await ask(other, method, path, body, headers), 403, 'forbidden');
          }
      });

      it('A merge patch of another media type changes nothing, though its tag is right', async () => {
        const author = await member();
        const { id } = await write(author);
        const path = `/api/content/${id}`;
        const before = await ask(author, 'GET', path);
        for (const type of ['application/json', 'text/plain', 'application/json-patch+json']) {
          const headers = { 'content-type': type, 'if-match': tagOf(before) };
          assert.equal((await ask(author, 'PATCH', path, { title: 'mine' }, headers)).status, 415, type);
        }
        assert.deepEqual((await ask(author, 'GET', path)).body.data, before.body.data);
      });

      it('An answer that a browser reloads is 304, and is private where the reader is signed in', async () => {
        const author = await member();
        const { id } = await write(author);
        const path = `/api/content/${id}`;
        for (const who of [undefined, author]) {
          const headers = {
            'if-none-match': tagOf(await ask(who, 'GET', path)),
            'cache-control': 'no-cache',
          };
          const again = await ask(who, 'GET', path, undefined, headers);
          assert.deepEqual([again.status, again.body], [304, undefined]);
          assert.match(again.headers.get('vary') ?? '', /\bAuthorization\b/i);
          const cache = again.headers.get('cache-control') ?? '';
          assert.equal(/\bprivate\b/.test(cache), who !== undefined, cache);
        }
      });

      it('A page of another site may send If-Match and read the tag', async () => {
        const author = await member();
        const { id } = await write(author);
        const url = `${service().url}/api/content/${id}`;
        const asked = await fetch(url, {
          method: 'OPTIONS',
          headers: {
            origin: ORIGIN,
            'access-control-request-method': 'PUT',
            'access-control-request-headers': 'authorization,content-type,if-match',
          },
        });
        assert.equal(asked.headers.get('access-control-allow-origin'), ORIGIN);
        assert.match(asked.headers.get('access-control-allow-headers') ?? '', /\bif-match\b/i);
        const read = await ask(undefined, 'GET', `/api/content/${id}`, undefined, { origin: ORIGIN });
        assert.match(read.headers.get('access-control-expose-headers') ?? '', /\betag\b/i);
      });
    },
    { CORS_ORIGINS: ORIGIN },
  ),
);
