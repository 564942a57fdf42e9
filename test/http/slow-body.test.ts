import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { disableAccount, setRole } from '../../src/accounts/administer.ts';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { bodySchema, mediaTypeOf, ROUTES, type Route } from '../support/contract.ts';
import { onOneEngine } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import type { RunningService } from '../support/service.ts';
import { beginRequest } from '../support/slow-request.ts';
import { describeOnService } from '../support/suite.ts';

/** Every route by which a signed-in account changes content. A preview changes none. */
const CHANGES = ROUTES.filter(
  ({ method, path }) =>
    method !== 'GET' && path.startsWith('/api/content') && path !== '/api/content/preview',
);
const BODY = { title: 'Too late', content: 'Too late' };
const isOfLabels = (path: string) => path.endsWith('/{name}');

/** What may happen to a caller while the body is on its way. */
const ENDS: Record<string, (service: RunningService, caller: Account) => Promise<unknown>> = {
  'whose account was disabled': ({ store }, { username }) =>
    store.write(disableAccount, { account: username, now: Date.now() }),
  'who logged out': ({ url }, { token }) => call(url, 'POST', '/api/auth/logout', { token }),
};

onOneEngine('Bodies that arrive late', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    let editor: Account;
    before(async () => {
      editor = await newWithRole(service(), 'editor');
    });
    /** All items of an author, those in the trash too, the drafts beside them, and what GET says of what was asked for. */
    const contentOf = async ({ id }: Account, path: string) => {
      const shown = await call(service().url, 'GET', `/api/content?author=${id}`);
      const { token } = editor;
      const trashed = await call(service().url, 'GET', '/api/content/trash?per_page=100', { token });
      const isTheirs = ({ author }: { author: { id: number } }) => author.id === id;
      const draftOf = ({ id: item }: { id: number }) =>
        call(service().url, 'GET', `/api/content/${item}/draft`, { token });
      const drafts = await Promise.all(shown.body.data.items.map(draftOf));
      return [
        shown.body.data.items,
        trashed.body.data.items.filter(isTheirs),
        drafts.map(({ status, body }) => (status === 200 ? body.data : undefined)),
        await renamingOf(path),
      ];
    };
    const renamingOf = async (path: string) =>
      /\/(tags|categories)\//.test(path) && (await call(service().url, 'GET', path, editor)).status;
    /** Labels are renamed by editors only. */
    const newCaller = (path: string) =>
      isOfLabels(path) ? newWithRole(service(), 'editor') : newAccount(service().url);

    it('At least three routes that change content are sent a late body', () =>
      assert.ok(CHANGES.length >= 3));

    for (const route of CHANGES) {
      const { method, path } = route;
      it(`A late body for ${method} ${path} takes effect while the caller still has the right`, async () => {
        const { url } = service();
        const caller = await newCaller(path);
        const request = await begin(url, route, caller, caller);
        const earlier = await contentOf(caller, request.path);
        assert.equal((await request.finish()).status, 200);
        assert.notDeepEqual(await contentOf(caller, request.path), earlier);
      });

      for (const [title, end] of Object.entries(ENDS))
        it(`A late body for ${method} ${path} changes nothing for a caller ${title} meanwhile`, async () => {
          const { url } = service();
          const caller = await newCaller(path);
          const request = await begin(url, route, caller, caller);
          const earlier = await contentOf(caller, request.path);
          await end(service(), caller);
          const { status, body } = await request.finish();
          assert.deepEqual([status, body.data.error], [401, 'token_revoked']);
          assert.deepEqual(await contentOf(caller, request.path), earlier);
        });

      if (path.includes('{'))
        it(`A late body for ${method} ${path} changes nothing for a caller who is no editor any more`, async () => {
          const { url, store } = service();
          const [author, caller] = [await newAccount(url), await newWithRole(service(), 'editor')];
          const request = await begin(url, route, author, caller);
          const earlier = await contentOf(author, request.path);
          await store.write(setRole, { account: caller.username, role: 'member', now: Date.now() });
          const { status, body } = await request.finish();
          // Who may not see the trash of others is not told what is in it.
          const refused = path.startsWith('/api/content/trash/') ? [404, 'not_found'] : [403, 'forbidden'];
          assert.deepEqual([status, body.data.error], refused);
          assert.deepEqual(await contentOf(author, request.path), earlier);
        });
    }
  }),
);

/** The request has passed the check of its token, and its body is still to come. */
async function begin(
  url: string,
  { method, path: template, operation }: Route,
  author: Account,
  caller: Account,
) {
  const { id } = await newItem(url, author.token);
  // Then there is an earlier version too.
  await call(url, 'PUT', `/api/content/${id}`, { token: author.token, body: { title: 'Second' } });
  if (/\/(draft|publish)$/.test(template))
    await call(url, 'PUT', `/api/content/${id}/draft`, { token: author.token, body: { title: 'A draft' } });
  if (template.startsWith('/api/content/trash/')) await call(url, 'DELETE', `/api/content/${id}`, author);
  const me = () => call(url, 'GET', '/api/users/me', { token: caller.token });
  // With all that it needs in memory, the check ends in the turn of the event loop in which it began.
  assert.equal((await me()).status, 200);
  const path = template
    .replace('{id}', String(id))
    .replace('{version}', '1')
    .replace('{name}', newName('label'));
  // A route without a body is sent one too, if an empty one.
  const body = bodySchema(operation) ? bodyFor(template, id) : {};
  const mediaType = mediaTypeOf(operation);
  const request = await beginRequest(url, { method, path, token: caller.token, body, mediaType });
  assert.equal((await me()).status, 200);
  return { ...request, path };
}

function bodyFor(template: string, id: number): object {
  if (isOfLabels(template)) return { name: newName('label') };
  if (template !== '/api/content/bulk') return BODY;
  return { operations: [{ action: 'update', id, change: BODY }] };
}
