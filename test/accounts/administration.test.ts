import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { disableAccount, setRole } from '../../src/accounts/administer.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { findAccount } from '../../src/passwords/prove.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { type Account, call, login, newAccount, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { forget, mailLink, reset, tokenIn } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { newPasskey } from '../support/passkeys.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { guard, newGuarded } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';
import { describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);
const NEW_PASSWORD = 'a better horse battery';

const at = (time: number) => new Date(time).toISOString();
const namesOf = (items: readonly { username: string }[]) => items.map(({ username }) => username);

onEveryEngine('An account that an administrator changes', (engine) => {
  let server: MailServer;
  describeOnService(
    engine,
    'on a service that sends mail',
    (service) => {
      it('The old address is notified when an admin changes it, and the new one gets the password link', async () => {
        const { url } = service();
        const [admin, account] = [await newWithRole(service(), 'admin'), await newAccount(url)];
        const change = (body: object) =>
          call(url, 'PUT', `/api/users/${account.id}`, { token: admin.token, body });
        const email = `${newName()}@example.org`;
        assert.equal((await change({ email, must_change_password: true })).status, 200);
        const told = await server.nextTo(account.email);
        assert.equal(told.subject, 'An administrator changed your e-mail address');
        const first = tokenIn(await server.nextTo(email));
        assert.equal((await change({ must_change_password: true })).status, 200);
        const again = tokenIn(await server.nextTo(email));
        assert.notEqual(first, again);
        assert.equal((await reset(url, again, NEW_PASSWORD)).status, 200);
        assertFailure(await reset(url, first, NEW_PASSWORD), 400, 'link_invalid');
        await login(url, account.username, NEW_PASSWORD);
        const own = await login(url, account.username, NEW_PASSWORD);
        const { items } = (await call(url, 'GET', '/api/auth/events?event=password_reset_requested', own))
          .body.data;
        assert.deepEqual([items.length, items[0].by, items[0].address], [2, 'somebody_else', undefined]);
        const demands: number[] = [];
        for (let each = 0; each < 4; each++)
          demands.push((await change({ must_change_password: true })).status);
        assert.deepEqual(demands, [200, 200, 200, 429], 'no demand without its mail');
      });

      it('Nobody who asks for links to forgotten passwords keeps an admin from demanding a new one', async () => {
        const { url } = service();
        const [admin, account] = [await newWithRole(service(), 'admin'), await newAccount(url)];
        for (let each = 0; each < 5; each++) {
          await forget(url, account.email);
          await server.nextTo(account.email);
        }
        const body = { must_change_password: true };
        const demanded = await call(url, 'PUT', `/api/users/${account.id}`, { token: admin.token, body });
        assert.equal(demanded.status, 200);
        const link = tokenIn(await server.nextTo(account.email));
        assert.equal((await reset(url, link, NEW_PASSWORD)).status, 200);
      });

      it('An admin changes the own address only by a link to the new one, where mail is sent', async () => {
        const { url } = service();
        const admin = await newWithRole(service(), 'admin');
        const body = { email: `${newName()}@example.org` };
        const refused = await call(url, 'PUT', `/api/users/${admin.id}`, { token: admin.token, body });
        assertFailure(refused, 403, 'forbidden');
        assert.equal((await call(url, 'POST', '/api/auth/email', { token: admin.token, body })).status, 200);
        assert.ok(tokenIn(await server.nextTo(body.email), 'confirm-email'));
      });

      it('The owner is notified by mail when an admin removes their second factors', async () => {
        const { url } = service();
        const [admin, guarded] = [await newWithRole(service(), 'admin'), await newGuarded(url)];
        await server.nextTo(guarded.email);
        const { body } = await call(url, 'DELETE', `/api/users/${guarded.id}/second-factors`, admin);
        assert.deepEqual(body.data, { removed: ['totp', 'recovery_code'] });
        assert.match(
          (await server.nextTo(guarded.email)).subject,
          /^The authenticator app .* was turned off/,
        );
      });

      it('The owner is notified by mail when a command removes their second factors', async () => {
        const guarded = await newGuarded(service().url);
        await server.nextTo(guarded.email);
        const command = { account: guarded.username, sendsMail: true, now: Date.now() };
        await service().store.write(resetSecondFactors, command);
        assert.match(
          (await server.nextTo(guarded.email)).subject,
          /^The authenticator app .* was turned off/,
        );
      });

      it('An owner is told by mail that an admin removed the passkeys', async () => {
        const { url } = service();
        const [admin, account] = [await newWithRole(service(), 'admin'), await newAccount(url)];
        await newPasskey(url, account);
        assert.equal((await server.nextTo(account.email)).subject, 'A passkey was added to your account');
        const { body } = await call(url, 'DELETE', `/api/users/${account.id}/second-factors`, admin);
        assert.deepEqual(body.data, { removed: ['passkey'] });
        assert.equal((await server.nextTo(account.email)).subject, 'A passkey was removed from your account');
      });
    },
    async (t) => {
      server = await startMailServer(t);
      return server.settings;
    },
  );
});

onEveryEngine('Administration of accounts', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      let admin: Account;
      before(async () => {
        admin = await newWithRole(service(), 'admin');
      });
      const ask = (method: string, path: string, body?: object, token = admin.token) =>
        call(service().url, method, path, { token, ...(body && { body }) });
      const signIn = (username: string, password = PASSWORD) =>
        call(service().url, 'POST', '/api/auth/login', { body: { username, password } });

      it('An administrator reads an account with its role, state and last sign-in, and changes what is given', async () => {
        const { id, username, email } = await newAccount(service().url);
        const read = async () => (await ask('GET', `/api/users/${id}`)).body.data;
        const { created_at, last_sign_in_at, ...rest } = await read();
        const known = { id, username, email };
        assert.deepEqual(rest, {
          ...known,
          role: 'member',
          state: 'active',
          email_verified: false,
          second_factor: false,
          must_change_password: false,
        });
        assert.ok(last_sign_in_at >= created_at);
        const changed = await ask('PUT', `/api/users/${id}`, { role: 'editor' });
        assert.deepEqual(changed.body.data, { ...rest, created_at, last_sign_in_at, role: 'editor' });
        assert.deepEqual(changed.body.data, await read());
        for (const [method, path] of [
          ['GET', '/api/users/999999'],
          ['PUT', '/api/users/999999'],
          ['DELETE', '/api/users/999999/sessions'],
          ['DELETE', '/api/users/999999/second-factors'],
        ] as const)
          assertFailure(
            await ask(method, path, method === 'PUT' ? { role: 'member' } : undefined),
            404,
            'not_found',
          );
      });

      it('An administrator disables and enables an account, and the trail says who did so from where', async () => {
        const { id, username, token, refreshToken } = await newAccount(service().url);
        const disabled = await ask('PUT', `/api/users/${id}`, { disabled: true });
        assert.equal(disabled.body.data.state, 'disabled');
        assertFailure(await ask('GET', '/api/users/me', undefined, token), 401, 'token_revoked');
        const refreshed = await call(service().url, 'POST', '/api/auth/refresh', { token: refreshToken });
        assertFailure(refreshed, 401, 'token_revoked');
        assertFailure(await signIn(username), 401, 'bad_credentials');
        const enabled = await ask('PUT', `/api/users/${id}`, { disabled: false });
        assert.equal(enabled.body.data.state, 'active');
        assert.equal((await signIn(username)).status, 200);
        const { items } = (await ask('GET', `/api/audit?event=account_disabled&account=${id}`)).body.data;
        assert.equal(items.length, 1);
        assert.deepEqual(items[0].actor, { id: admin.id, username: admin.username });
        assert.equal(items[0].address, '127.0.0.1');
        assert.equal(items[0].request_id, disabled.headers.get('x-request-id'));
      });

      it('An administrator ends all sessions of an account and all of its personal access tokens', async () => {
        const account = await newAccount(service().url);
        const tokens = [
          account.token,
          (await login(service().url, account.username)).token,
          await newPersonalToken(service().url, account),
        ];
        const { body } = await ask('DELETE', `/api/users/${account.id}/sessions`);
        assert.deepEqual(body.data, { ended: 3 });
        for (const token of tokens)
          assertFailure(await ask('GET', '/api/users/me', undefined, token), 401, 'token_revoked');
        assert.equal((await signIn(account.username)).status, 200);
      });

      it('A demanded password change is reported to the right password only, and the mailed link makes it', async () => {
        const { id, username, email, token } = await newAccount(service().url);
        const demanded = await ask('PUT', `/api/users/${id}`, { must_change_password: true });
        assert.equal(demanded.body.data.must_change_password, true);
        assertFailure(await ask('GET', '/api/users/me', undefined, token), 401, 'token_revoked');
        assertFailure(await signIn(username), 403, 'password_change_required');
        assertFailure(await signIn(username, 'not the password'), 401, 'bad_credentials');
        // As a sign-in that was checked before.
        const { store } = service();
        const { account } = await store.read(findAccount, { login: username, source: '', now: NOW });
        const session = { sessionId: username, tokenHash: '', userId: id, most: 50, now: NOW, origin: null };
        const checkedHash = account?.password_hash ?? '';
        assert.equal(await store.write(startSession, { ...session, checkedHash }), false);
        assert.equal((await forget(service().url, email)).status, 200);
        const link = await mailLink(service(), id, Date.now());
        const field = { field: 'new_password', rule: 'new' };
        assertFailure(await reset(service().url, link, PASSWORD), 400, 'validation_failed', field);
        assertFailure(await signIn(username), 403, 'password_change_required');
        assert.equal((await reset(service().url, link, NEW_PASSWORD)).status, 200, 'the link is good still');
        assert.equal((await signIn(username, NEW_PASSWORD)).status, 200);
        const again = await mailLink(service(), id, Date.now());
        assert.equal((await reset(service().url, again, NEW_PASSWORD)).status, 200, 'nobody demands another');
        assert.equal((await ask('GET', `/api/users/${id}`)).body.data.must_change_password, false);
      });

      it('An administrator sees the sessions and tokens of an account, and ends each separately', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const [other, program] = [await login(url, account.username), await newPersonalToken(url, account)];
        const path = `/api/users/${account.id}`;
        const sessions = (await ask('GET', `${path}/sessions`)).body.data;
        assert.equal(sessions.total, 2);
        const listed = sessions.items.find(({ id }: { id: string }) => id === sessionIdOf(other.token));
        assert.deepEqual([listed.device, listed.address, listed.current], ['node', '127.0.0.1', false]);
        const tokens = (await ask('GET', `${path}/tokens`)).body.data;
        const [{ id: tokenId, name, scope }] = tokens.items;
        assert.deepEqual([tokens.total, name, scope], [1, 'a program', 'write']);

        for (const [what, wrong] of [
          ['sessions', tokenId],
          ['tokens', listed.id],
        ])
          assertFailure(await ask('DELETE', `${path}/${what}/${wrong}`), 404, 'not_found');
        const ended = await ask('DELETE', `${path}/sessions/${listed.id}`);
        assert.deepEqual(ended.body.data, { id: listed.id });
        assertFailure(await ask('GET', '/api/users/me', undefined, other.token), 401, 'token_revoked');
        assert.equal((await ask('GET', '/api/users/me', undefined, program)).status, 200);
        assert.equal((await ask('DELETE', `${path}/tokens/${tokenId}`)).status, 200);
        assertFailure(await ask('GET', '/api/users/me', undefined, program), 401, 'token_revoked');
        assert.equal((await ask('GET', '/api/users/me', undefined, account.token)).status, 200);
        const trail = (await ask('GET', `/api/audit?account=${account.id}&per_page=2`)).body.data.items;
        assert.deepEqual(
          trail.map(({ event, actor, detail }: Record<string, unknown>) => [event, actor, detail]),
          [
            ['personal_token_revoked', { token: tokenId }],
            ['session_revoked', { session: listed.id }],
          ].map(([event, detail]) => [event, { id: admin.id, username: admin.username }, detail]),
        );
      });

      it('An administrator removes the second factors of others, but not their own', async () => {
        const { url } = service();
        const guarded = await guard(url, await newAccount(url));
        const remove = (id: number) => ask('DELETE', `/api/users/${id}/second-factors`);
        assert.deepEqual((await remove(guarded.id)).body.data, { removed: ['totp', 'recovery_code'] });
        assert.equal((await signIn(guarded.username)).status, 200);
        assert.deepEqual((await remove(guarded.id)).body.data, { removed: [] });
        assertFailure(await remove(admin.id), 403, 'forbidden');
        const { items } = (await ask('GET', `/api/audit?event=second_factors_reset&account=${guarded.id}`))
          .body.data;
        assert.deepEqual([items.length, items[0].actor.id], [1, admin.id]);
      });

      it('An address that an administrator sets counts as verified, and ends the links mailed before', async () => {
        const { url } = service();
        const [account, other] = [await newAccount(url), await newAccount(url)];
        const change = (email: string) => ask('PUT', `/api/users/${account.id}`, { email });
        assertFailure(await change(other.email.toUpperCase()), 400, 'taken', { field: 'email' });
        assertFailure(await change('none'), 400, 'validation_failed', { field: 'email' });
        const link = await mailLink(service(), account.id, Date.now());
        const email = `${newName()}@example.org`;
        const { data } = (await change(email)).body;
        assert.deepEqual([data.email, data.email_verified], [email, true]);
        assertFailure(await reset(url, link, NEW_PASSWORD), 400, 'link_invalid');
        assert.equal((await ask('GET', '/api/users/me', undefined, account.token)).body.data.email, email);
        assert.equal((await signIn(email)).status, 200);
        assertFailure(await signIn(account.email), 401, 'bad_credentials');
        await change(email);
        const { items } = (await ask('GET', `/api/audit?event=email_changed&account=${account.id}`)).body
          .data;
        assert.deepEqual(
          [items.length, items[0].actor.id, items[0].detail],
          [1, admin.id, { because: 'admin' }],
        );
      });

      it('A demoted admin and the personal access token of an admin cannot list accounts as an admin', async () => {
        const other = await newWithRole(service(), 'admin');
        const program = await newPersonalToken(service().url, other);
        const list = (token: string) => ask('GET', '/api/users?view=admin', undefined, token);
        assert.equal((await list(other.token)).status, 200);
        assertFailure(await list(program), 403, 'forbidden');
        assert.equal((await ask('PUT', `/api/users/${other.id}`, { role: 'member' })).status, 200);
        assertFailure(await list(other.token), 403, 'forbidden');
      });

      it('A misspelt filter is refused with `view=admin`, and ignored without', async () => {
        const misspelt = await ask('GET', '/api/users?view=admin&stat=disabled');
        assertFailure(misspelt, 400, 'validation_failed', { field: 'stat', rule: 'additionalProperties' });
        assert.equal((await ask('GET', '/api/users?stat=disabled')).status, 200);
      });

      it('Only an administrator sees the detailed list, and only with `view=admin`', async () => {
        const member = await newAccount(service().url);
        for (const { token } of [member, admin]) {
          const { items } = (await ask('GET', '/api/users?sort=-id', undefined, token)).body.data;
          assert.ok(items.length > 0);
          for (const item of items)
            assert.deepEqual(Object.keys(item), ['id', 'username', 'email', 'created_at']);
        }
        assertFailure(await ask('GET', '/api/users?view=admin', undefined, member.token), 403, 'forbidden');
        const wrong = await ask('GET', '/api/users?view=admin&created_after=yesterday');
        assertFailure(wrong, 400, 'validation_failed', { field: 'created_after', rule: 'format' });
      });
    },
    { SMTP_URL: 'log' },
  );

  describeOnService(
    engine,
    'on a service that sends no mail',
    (service) =>
      // One after another: the first needs the one admin that there is.
      describe('one after another', { concurrency: false }, () => {
        const change = (by: Account, id: number, body: object) =>
          call(service().url, 'PUT', `/api/users/${id}`, { token: by.token, body });

        it('The last administrator is neither demoted nor disabled', async () => {
          const admin = await newWithRole(service(), 'admin');
          for (const body of [{ role: 'editor' }, { disabled: true }, { disabled: true, role: 'member' }]) {
            const answer = await change(admin, admin.id, body);
            assertFailure(answer, 403, 'last_admin');
            assert.match(answer.body.message ?? '', /is the last admin; make another admin first\.$/);
          }
          const other = await newWithRole(service(), 'admin');
          assert.equal((await change(admin, admin.id, { role: 'member' })).status, 200);
          assertFailure(await change(admin, admin.id, { role: 'admin' }), 403, 'forbidden');
          assertFailure(await change(other, other.id, { disabled: true }), 403, 'last_admin');
        });

        it('The last active administrator stays while all other administrators are disabled', async () => {
          const [admin, other] = [
            await newWithRole(service(), 'admin'),
            await newWithRole(service(), 'admin'),
          ];
          const { items } = (await call(service().url, 'GET', '/api/users?view=admin&role=admin', admin)).body
            .data;
          for (const { id } of items)
            if (id !== admin.id) assert.equal((await change(admin, id, { disabled: true })).status, 200);
          for (const body of [{ role: 'member' }, { disabled: true }])
            assertFailure(await change(admin, admin.id, body), 403, 'last_admin');
          const close = () => call(service().url, 'DELETE', '/api/users/me', admin);
          assertFailure(await close(), 403, 'last_admin');
          assert.equal((await change(admin, other.id, { disabled: false })).status, 200);
          assert.equal((await close()).status, 200);
        });

        it('An administrator cannot demand a new password where the service sends no mail', async () => {
          const admin = await newWithRole(service(), 'admin');
          const { id, username } = await newAccount(service().url);
          assertFailure(await change(admin, id, { must_change_password: true }), 403, 'no_mail');
          await login(service().url, username);
        });

        it('An administrator without a recent sign-in can only disable and demote', async () => {
          const admin = await newWithRole(service(), 'admin');
          const { id } = await newAccount(service().url);
          service().passTime(11 * MINUTE);
          for (const more of [
            { role: 'admin' },
            { role: 'editor' },
            { disabled: false },
            { must_change_password: false },
            { must_change_password: true },
            { email: `${newName()}@example.org` },
          ])
            assertFailure(await change(admin, id, more), 403, 'recent_sign_in_required');
          for (const path of ['sessions/AAAAAAAAAAA', 'tokens/AAAAAAAAAAA', 'second-factors'])
            assertFailure(
              await call(service().url, 'DELETE', `/api/users/${id}/${path}`, admin),
              403,
              'recent_sign_in_required',
            );
          assert.equal((await change(admin, id, { disabled: true })).status, 200);
          const recent = { ...admin, ...(await login(service().url, admin.username)) };
          assert.equal((await change(recent, id, { role: 'admin' })).body.data.role, 'admin');
          for (const role of ['editor', 'member'])
            assert.equal((await change(admin, id, { role })).body.data.role, role);
        });
      }),
    {},
    { clock: () => NOW },
  );

  it('Accounts are listed by role, state and times, in either order, on pages with exact totals', async (t) => {
    const { list, people } = await community(await startService(t, engine, {}, { clock: () => NOW }));
    const [first, second, third, fourth] = people;
    const expectations: [string, readonly string[]][] = [
      ['', ['root', ...people]],
      ['role=admin', ['root']],
      ['role=editor', [second, fourth]],
      ['state=disabled', [third]],
      ['state=active&role=member', [first]],
      [`created_after=${at(NOW - 2 * DAY)}`, ['root', first, second]],
      [`created_before=${at(NOW - 2 * DAY)}`, [third, fourth]],
      [`created_after=${at(NOW - 3 * DAY)}&created_before=${at(NOW - DAY)}`, [second, third]],
      [`last_sign_in_after=${at(NOW + DAY)}`, [second]],
      [`last_sign_in_before=${at(NOW + DAY)}`, ['root', first]],
      [`keyword=${fourth}`, [fourth]],
      [`keyword=${fourth}&role=member`, []],
      ['sort=-id', ['root', ...people].toReversed()],
      ['sort=username&role=editor', [second, fourth].toSorted()],
      ['sort=-username&role=editor', [second, fourth].toSorted().toReversed()],
      ['sort=created_at', [fourth, third, second, first, 'root']],
      ['sort=-created_at', ['root', first, second, third, fourth]],
      ['sort=last_sign_in_at', [third, fourth, 'root', first, second]],
      ['sort=-last_sign_in_at', [second, first, 'root', fourth, third]],
    ];
    for (const [query, names] of expectations) {
      const { items, total } = await list(query);
      assert.deepEqual(namesOf(items), names, query);
      assert.equal(total, names.length, query);
      const pages = [];
      for (let page = 1; page <= 3; page++) pages.push(await list(`${query}&per_page=2&page=${page}`));
      assert.deepEqual(
        pages.flatMap((page) => namesOf(page.items)),
        names,
        query,
      );
      assert.ok(pages.every((page) => page.total === names.length));
    }
    const [shown] = (await list(`keyword=${third}`)).items;
    assert.deepEqual(
      { ...shown, id: 0 },
      {
        id: 0,
        username: third,
        email: `${third}@example.org`,
        created_at: at(NOW - 3 * DAY),
        role: 'member',
        state: 'disabled',
        email_verified: false,
        second_factor: false,
        must_change_password: false,
      },
    );
  });
});

/** Five accounts: an admin, and four others, of which two have signed in and one is disabled. */
async function community({ url, store }: RunningService) {
  const { token } = await newAccount(url, 'root');
  await store.write(setRole, { account: 'root', role: 'admin', now: NOW });
  const people = [newName('a'), newName('d'), newName('c'), newName('b')] as const;
  const [first, second, third] = people;
  for (const [index, username] of people.entries()) {
    const role = index % 2 === 0 ? 'member' : 'editor';
    const account = { ...ADA, username, email: `${username}@example.org`, role } as const;
    const { id: userId } = await store.write(createAccount, { ...account, now: NOW - (index + 1) * DAY });
    if (username !== first && username !== second) continue;
    const session = { sessionId: username, tokenHash: username, userId, checkedHash: '', most: 50 };
    await store.write(startSession, { ...session, now: NOW + (index + 0.5) * DAY, origin: null });
  }
  await store.write(disableAccount, { account: third, now: NOW });
  const list = async (query: string) =>
    (await call(url, 'GET', `/api/users?view=admin&${query}`, { token })).body.data;
  return { people, list };
}
