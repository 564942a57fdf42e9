import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { resetSecondFactors } from '../../src/auth/second-factor/reset.ts';
import { setRole } from '../../src/users/administer.ts';
import { type Answer, call, login, newAccount, newItem, refresh } from '../support/client.ts';
import { ROUTES } from '../support/contract.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPersonalToken } from '../support/people.ts';
import { beginTotp, codeOf, confirmTotp, guard, newGuarded, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';

/** What an account may do that must have a second factor and has none, public routes apart. */
const OPEN = [
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
  'POST /api/auth/totp',
  'POST /api/auth/totp/confirm',
  'POST /api/auth/passkeys/options',
  'POST /api/auth/passkeys',
  'GET /api/auth/passkeys',
  'GET /api/auth/second-factors',
  'GET /api/users/me',
];

/** With CONTENT_READ=members nothing but these is public. */
const isGuarded = ({ operation }: (typeof ROUTES)[number]) => '401' in operation.responses;
const CLOSED = ROUTES.filter(isGuarded)
  .map(({ method, path }) => `${method} ${path}`)
  .filter((route) => !OPEN.includes(route) && !/^POST \/api\/auth\/(login|restore)/.test(route));

onEveryEngine('Where MFA_REQUIRED=all, an account without a second factor', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('may do nothing but set one up, and then goes on in the same session', async () => {
        const { url } = service();
        const { username, token, refreshToken } = await newAccount(url);
        const knock = (route: string) => {
          const [method = '', path = ''] = route.split(' ');
          return call(url, method, path.replace('{id}', '1'), { token });
        };
        assert.ok(CLOSED.length > 10, CLOSED.join());
        for (const route of CLOSED) assertFailure(await knock(route), 403, 'second_factor_setup_required');
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

      it('has a personal access token that may see whose it is, and nothing else', async () => {
        const { url, store } = service();
        const guarded = await newGuarded(url);
        const token = await newPersonalToken(url, guarded);
        assert.equal((await call(url, 'GET', '/api/content', { token })).status, 200);
        await store.write(resetSecondFactors, { account: guarded.email, now: Date.now() });
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

      it('cannot come to be by the removal of the last one', async () => {
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

onEveryEngine('Where MFA_REQUIRED=admins, a second factor', (engine) => {
  it('is required of admins alone, from the moment that they have the role', async (t) => {
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
