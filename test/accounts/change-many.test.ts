import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, login, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeInTurn } from '../support/suite.ts';

const MOST = 100;

onEveryEngine('Many accounts that an admin changes at once', (engine) => {
  const change = ({ url }: RunningService, token: string, body: object) =>
    call(url, 'POST', '/api/users/bulk', { token, body });

  it('A change of many accounts is made to each that may be changed, and spares the own one, the last admin', async (t) => {
    const service = await startService(t, engine);
    const { url } = service;
    const admin = await newWithRole(service, 'admin');
    const other = await newWithRole(service, 'admin');
    const [first, second] = [await newAccount(url), await newAccount(url)];
    const ids = [first.id, admin.id, other.id, 999_999, second.id];
    const { status, body } = await change(service, admin.token, { ids, change: { disabled: true } });
    assert.equal(status, 200);
    assert.deepEqual(body.data.results, [
      { id: first.id },
      { id: admin.id, error: 'forbidden', message: 'This is your own account; change it by itself.' },
      { id: other.id },
      { id: 999_999, error: 'not_found', message: 'There is no such user.' },
      { id: second.id },
    ]);
    for (const { token } of [first, second, other])
      assertFailure(await call(url, 'GET', '/api/users/me', { token }), 401, 'token_revoked');
    const { token } = admin;
    const list = await call(url, 'GET', '/api/users?view=admin&state=active', { token });
    assert.deepEqual(
      list.body.data.items.map(({ id }: { id: number }) => id),
      [admin.id],
    );
    const trail = await call(url, 'GET', '/api/audit?event=account_disabled', { token });
    assert.deepEqual(
      trail.body.data.items.map(({ actor, account }: { actor: object; account: object }) => [actor, account]),
      [second, other, first].map(({ id, username }) => [
        { id: admin.id, username: admin.username },
        { id, username },
      ]),
    );

    const enabled = await change(service, token, {
      ids: [first.id],
      change: { disabled: false, role: 'editor' },
    });
    assert.deepEqual(enabled.body.data.results, [{ id: first.id }]);
    const back = await login(url, first.username);
    assert.equal((await call(url, 'GET', '/api/users/me', back)).body.data.role, 'editor');
  });

  describeInTurn(engine, 'on one service', (service) => {
    it(`A change of many accounts takes ${MOST} of them, each once, and says what is wrong with any other`, async () => {
      const { token } = await newWithRole(service(), 'admin');
      const many = Array.from({ length: MOST }, (_, index) => 1_000 + index);
      const disable = { disabled: true };
      const done = await change(service(), token, { ids: many, change: disable });
      assert.deepEqual([done.status, done.body.data.results.length], [200, MOST]);
      for (const [ids, asked] of [
        [[], disable],
        [[...many, 1], disable],
        [[1, 1], disable],
        [[0], disable],
        [[1], {}],
        [[1], { disabled: true, email: 'ada@example.org' }],
        [[1], { role: 'owner' }],
      ] as const)
        assertFailure(await change(service(), token, { ids, change: asked }), 400, 'validation_failed');
    });

    it('A change of many accounts needs an admin, and a recent sign-in where it gives rights, or changes nothing', async () => {
      const admin = await newWithRole(service(), 'admin');
      const account = await newWithRole(service(), 'editor');
      const ids = [account.id];
      const disable = { ids, change: { disabled: true } };
      assertFailure(await change(service(), account.token, disable), 403, 'forbidden');
      service().passTime(11 * 60_000);
      const promoted = await change(service(), admin.token, { ids, change: { role: 'admin' } });
      assertFailure(promoted, 403, 'recent_sign_in_required');
      assert.equal((await change(service(), admin.token, { ids, change: { role: 'member' } })).status, 200);
    });
  });
});
