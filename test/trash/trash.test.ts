import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { declaredRoutes } from '../support/declared.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { freshBody } from '../support/samples.ts';
import { describeOnService } from '../support/suite.ts';

const DAY = 24 * 60 * 60_000;
const NOW = Date.UTC(2030, 0, 1);
const OF_CONTENT = (await declaredRoutes()).filter(({ path }) => path.startsWith('/api/content'));

onEveryEngine('The trash', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      const ask = (method: string, path: string, token?: string, body?: object) =>
        call(service().url, method, path, { token, ...(body && { body }) });
      const done = async (...asked: Parameters<typeof ask>) => {
        const answer = await ask(...asked);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body.data;
      };
      const trash = (id: number, { token }: Account) => done('DELETE', `/api/content/${id}`, token);
      const restore = (id: number, { token }: Account) =>
        ask('POST', `/api/content/trash/${id}/restore`, token);
      const purge = (id: number, { token }: Account) => ask('DELETE', `/api/content/trash/${id}`, token);
      const idsIn = async ({ token }: Account): Promise<number[]> =>
        (await done('GET', '/api/content/trash?per_page=100', token)).items.map(
          ({ id }: { id: number }) => id,
        );
      const by = ({ id, username }: Account) => ({ id, username });

      it('An item in the trash is shown by the list of the trash alone, to its author, editors and admins', async () => {
        const { url } = service();
        const author = await newAccount(url);
        const people = {
          stranger: undefined,
          member: await newAccount(url),
          author,
          editor: await newWithRole(service(), 'editor'),
          admin: await newWithRole(service(), 'admin'),
        };
        const mark = newName('mark');
        const { id } = await newItem(url, author.token, {
          title: mark,
          content: mark,
          category: mark,
          tags: [mark],
        });
        await done('PUT', `/api/content/${id}`, author.token, { content: `${mark} again` });
        await trash(id, author);
        const queries = ['', `?keyword=${mark}`, `?tag=${mark}`, `?category=${mark}`, `?author=${author.id}`];
        for (const [who, account] of Object.entries(people))
          for (const { method, path, operation, access } of OF_CONTENT) {
            if (path.startsWith('/api/content/trash/')) continue;
            const isOfItem = path.includes('{id}');
            if (!isOfItem && method !== 'GET') continue;
            const address = path.replace('{id}', String(id)).replace('{version}', '1');
            for (const query of path === '/api/content' ? queries : ['']) {
              const answer = await ask(method, address + query, account?.token, freshBody(operation));
              const what = `${who}: ${method} ${address}${query}`;
              const isTrash = path === '/api/content/trash' && !['stranger', 'member'].includes(who);
              assert.equal(JSON.stringify(answer.body).includes(mark), isTrash, what);
              if (query !== '')
                assert.equal(answer.body.data.total, 0, `${what}: ${JSON.stringify(answer.body)}`);
              const isClosed = access !== 'public' && !account;
              if (isOfItem || isClosed) assert.equal(answer.status, isClosed ? 401 : 404, what);
            }
          }
      });

      it('A restored item is as it was, with its versions, and is found again', async () => {
        const { url } = service();
        const [author, editor] = [await newAccount(url), await newWithRole(service(), 'editor')];
        const tag = newName('tag');
        const { id } = await newItem(url, author.token, { title: tag, tags: [tag], category: tag });
        await done('PUT', `/api/content/${id}`, author.token, { content: 'other' });
        const before = await ask('GET', `/api/content/${id}`, author.token);
        const history = await done('GET', `/api/content/${id}/versions`, author.token);
        for (const [thrower, restorer] of [
          [author, author],
          [author, editor],
          [editor, author],
        ] as const) {
          await trash(id, thrower);
          const restored = await restore(id, restorer);
          assert.equal(restored.status, 200, JSON.stringify(restored.body));
          assert.deepEqual(restored.body, before.body);
          assert.equal(restored.headers.get('etag'), before.headers.get('etag'));
          assertFailure(await restore(id, restorer), 404, 'not_found');
        }
        assert.deepEqual(await done('GET', `/api/content/${id}/versions`, author.token), history);
        for (const query of [`tag=${tag}`, `category=${tag}`, `keyword=${tag}`])
          assert.deepEqual((await done('GET', `/api/content?${query}`)).items, [before.body.data], query);
      });

      it('The trash names who moved an item there, when, and when it ends, the last one first', async () => {
        const { url } = service();
        const [author, other] = [await newAccount(url), await newAccount(url)];
        const editor = await newWithRole(service(), 'editor');
        const long = await newItem(url, author.token, { content: 'x'.repeat(200 * 1024) });
        const [second, foreign] = [await newItem(url, author.token), await newItem(url, other.token)];
        await trash(long.id, author);
        await trash(second.id, editor);
        await trash(foreign.id, other);
        const times = {
          trashed_at: new Date(NOW).toISOString(),
          purge_at: new Date(NOW + 30 * DAY).toISOString(),
        };
        const listed = { ...second, ...times, trashed_by: by(editor) };
        const cut = { ...long, content: 'x'.repeat(1_000), content_truncated: true };
        assert.deepEqual(await done('GET', '/api/content/trash', author.token), {
          items: [listed, { ...cut, ...times, trashed_by: by(author) }],
          total: 2,
          page: 1,
          per_page: 20,
        });
        const page = await ask('GET', '/api/content/trash?per_page=1&page=2', author.token);
        assert.deepEqual(page.body.data.items, [{ ...long, ...times, trashed_by: by(author) }]);
        assert.match(page.headers.get('link') ?? '', /rel="prev"/);
        const all = await idsIn(editor);
        for (const { id } of [long, second, foreign]) assert.ok(all.includes(id));
        assert.deepEqual(await idsIn(other), [foreign.id]);
        assertFailure(await ask('GET', '/api/content/trash?tag=a', author.token), 400, 'validation_failed');
      });

      it('An item is deleted for good by its author or an admin, an editor may not, and a member knows of nothing', async () => {
        const { url } = service();
        const [author, member] = [await newAccount(url), await newAccount(url)];
        const [editor, admin] = [
          await newWithRole(service(), 'editor'),
          await newWithRole(service(), 'admin'),
        ];
        for (const [ender, owner] of [
          [author, author],
          [admin, author],
          [editor, editor],
        ] as const) {
          const { id } = await newItem(url, owner.token);
          for (const act of [restore, purge]) assertFailure(await act(id, ender), 404, 'not_found');
          await trash(id, owner);
          for (const act of [restore, purge]) assertFailure(await act(id, member), 404, 'not_found');
          if (owner !== editor) assertFailure(await purge(id, editor), 403, 'forbidden');
          assert.deepEqual((await purge(id, ender)).body.data, { id });
          for (const act of [restore, purge]) assertFailure(await act(id, owner), 404, 'not_found');
          assert.ok(!(await idsIn(admin)).includes(id));
        }
      });

      it('Of a restoration and an end at once, one is done and the other finds nothing', async () => {
        const author = await newAccount(service().url);
        for (let round = 0; round < 10; round++) {
          const { id } = await newItem(service().url, author.token);
          const removals = await Promise.all(
            [1, 2].map(() => ask('DELETE', `/api/content/${id}`, author.token)),
          );
          assert.deepEqual(removals.map(({ status }) => status).sort(), [200, 404]);
          const answers = await Promise.all([restore(id, author), purge(id, author)]);
          assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
          const { status } = await ask('GET', `/api/content/${id}`);
          assert.equal(status, answers[0]?.status);
          assert.deepEqual(await idsIn(author), []);
        }
      });
    },
    {},
    { clock: () => NOW },
  ),
);
