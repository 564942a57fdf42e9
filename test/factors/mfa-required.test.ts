import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setRole } from '../../src/accounts/administer.ts';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { type Answer, call, login, newAccount, newItem, refresh } from '../support/client.ts';
import { declaredRoutes } from '../support/declared.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPersonalToken } from '../support/people.ts';
import { beginTotp, codeOf, confirmTotp, guard, newGuarded, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

/** Refused to an account that must have a second factor and has none. */
const CLOSED = (await declaredRoutes({ CONTENT_READ: 'members' })).filter(
  ({ access, beforeSetUp }) => (access === 'signed_in' || access === 'admin') && !beforeSetUp,
);

onEveryEngine('MFA_REQUIRED=all', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('An account without a required second factor can only set one up, and continues in its session', async () => {
        const { url } = service();
        const { username, token, refreshToken } = await newAccount(url);
        const knock = (route: string) => {
          const [method = '', path = ''] = route.split(' ');
          return call(url, method, path.replace('{id}', '1'), { token });
        };
        assert.ok(CLOSED.length > 10);
        for (const { method, path } of CLOSED)
          assertFailure(await knock(`${method} ${path}`), 403, 'second_factor_setup_required');
        assert.equal((await refresh(url, refreshToken)).status, 200);
        const { token: other } = await login(url, username);
        assert.equal((await call(url, 'POST', '/api/auth/logout', { token: other })).status, 200);
        assert.equal((await knock('GET /api/auth/second-factors')).status, 200);
        assert.equal((await knock('GET /api/users/me')).body.data.second_factor, false);

        const secret = await beginTotp(url, token);
        assertFailure(await knock('GET /api/content'), 403, 'second_factor_setup_required');
        assert.equal((await confirmTotp(url, token, codeOf(secret, Date.now()))).status, 200);
        assert.equal((await knock('GET /api/content')).status, 200);
        await newItem(url, token);
      });

      it('A personal access token of an account without a required second factor can only read its owner', async () => {
        const { url, store } = service();
        const guarded = await newGuarded(url);
        const token = await newPersonalToken(url, guarded);
        assert.equal((await call(url, 'GET', '/api/content', { token })).status, 200);
        await store.write(resetSecondFactors, { account: guarded.email, sendsMail: false, now: Date.now() });
        const { token: fresh } = await login(url, guarded.username);
        for (const each of [fresh, token]) {
          await untilRefused('second_factor_setup_required', () =>
            call(url, 'GET', '/api/content', { token: each }),
          );
          assert.equal((await call(url, 'GET', '/api/users/me', { token: each })).status, 200);
        }
        await guard(url, { ...guarded, token: fresh });
        assert.equal((await call(url, 'GET', '/api/content', { token: fresh })).status, 200);
      });

      it('The last required second factor cannot be removed', async () => {
        const { url } = service();
        const { username, token, code } = await newGuarded(url);
        const refused = await call(url, 'DELETE', '/api/auth/totp', { token });
        assertFailure(refused, 403, 'forbidden');
        assert.match(refused.body.message ?? '', /add another before you remove the last one/);
        assert.equal((await signInWith(url, username, code())).status, 200);
      });
    },
    { MFA_REQUIRED: 'all', CONTENT_READ: 'members' },
  ),
);

onEveryEngine('MFA_REQUIRED=all with CONTENT_READ=public', (engine) => {
  it('An account without a required second factor reads what strangers read, by its personal access token too', async (t) => {
    const settings = { MFA_REQUIRED: 'all', CONTENT_READ: 'public' };
    const { url, store } = await startService(t, engine, settings);
    const guarded = await newGuarded(url);
    const program = await newPersonalToken(url, guarded);
    const about = { category: 'inner', tags: ['inner'], visibility: 'members' };
    const { id, slug } = await newItem(url, guarded.token, about);
    const seenBy = async (token?: string) => {
      const get = (path: string) => call(url, 'GET', path, { token });
      const items = await Promise.all([get(`/api/content/${id}`), get(`/api/content/by-slug/${slug}`)]);
      const paths = [
        '/api/content',
        '/api/content/tags',
        '/api/content/categories',
        '/api/content?tag=inner',
      ];
      const lists = await Promise.all(paths.map(get));
      return [...items.map(({ status }) => status), ...lists.map(({ body }) => body.data.total)];
    };
    for (const token of [guarded.token, program])
      assert.deepEqual(await seenBy(token), [200, 200, 1, 1, 1, 1]);

    await store.write(resetSecondFactors, { account: guarded.email, sendsMail: false, now: Date.now() });
    const { token } = await login(url, guarded.username);
    for (const each of [token, program]) {
      await untilRefused('second_factor_setup_required', () =>
        call(url, 'GET', '/api/content?status=draft', { token: each }),
      );
      // What no stranger finds might be a draft, and asks for the factor.
      assert.deepEqual(await seenBy(each), [403, 403, 0, 0, 0, 0]);
      assert.equal((await call(url, 'GET', '/api/content/999999', { token: each })).status, 403);
    }
  });
});

onEveryEngine('MFA_REQUIRED=admins', (engine) => {
  it('MFA_REQUIRED=admins asks for a second factor as soon as an account has the role of an admin', async (t) => {
    const { url, store } = await startService(t, engine, { MFA_REQUIRED: 'admins', USERS_LIST: 'admins' });
    const { username, token, ...account } = await newAccount(url);
    const list = () => call(url, 'GET', '/api/users', { token });
    const give = (role: 'admin' | 'editor') => store.write(setRole, { account: username, role, now: 1 });
    await newItem(url, token);
    await give('admin');
    await untilRefused('second_factor_setup_required', list);
    await guard(url, { username, token, ...account });
    assert.equal((await list()).status, 200);
    const remove = () => call(url, 'DELETE', '/api/auth/totp', { token });
    assertFailure(await remove(), 403, 'forbidden');
    const other = await newAccount(url);
    await store.write(setRole, { account: other.username, role: 'admin', now: 1 });
    await give('editor');
    assert.equal((await remove()).status, 200);
    await newItem(url, token);
  });
});

/** Asks until the answer is of this failure, because what is known of a session may be a second old. */
async function untilRefused(error: string, ask: () => Promise<Answer>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if ((await ask()).body.data.error === error) return assertFailure(await ask(), 403, error);
    await pause(5);
  }
  assert.fail(`never ${error}: ${JSON.stringify((await ask()).body)}`);
}
