import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disableAccount, enableAccount, setRole } from '../../src/accounts/administer.ts';
import { endAll } from '../../src/cli/sessions.ts';
import { endSession, endSomeSessions, findCaller } from '../../src/sessions/session.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { readOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { call, login, newAccount, newItem, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { challengeOf, complete, newGuarded } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { ADA, newCaller } from '../support/store.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

/** Past the second within which every instance knows. */
const SOON = 1000;
const NOW = Date.UTC(2030, 0, 1);
const HOUR = 3_600_000;
const SESSION = { checkedHash: ADA.passwordHash, most: 50, now: NOW, origin: null };

onEveryEngine('Revocation', (engine) => {
  describeOnService(engine, 'on one service', (service) =>
    // One after another: some move the clock of all.
    describe('one after another', { concurrency: false }, () => {
      it('A session ended on another instance is refused within a second', async () => {
        const { url, store, passTime } = service();
        const { token, id: userId } = await newAccount(url);
        const me = () => call(url, 'GET', '/api/users/me', { token });
        assert.equal((await me()).status, 200);
        const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        await store.write(endSession, { sessionId: sid, userId, now: Date.now(), origin: null });
        passTime(SOON);
        assertFailure(await me(), 401, 'token_revoked');
      });

      it('A disabled account loses all of its sessions within a second', async () => {
        const { url, store, passTime } = service();
        const { username, token, refreshToken } = await newAccount(url);
        const other = await login(url, username);
        for (const each of [token, other.token])
          assert.equal((await call(url, 'GET', '/api/users/me', { token: each })).status, 200);
        await store.write(disableAccount, { account: username, now: Date.now() });
        passTime(SOON);
        for (const each of [token, other.token])
          assertFailure(await call(url, 'GET', '/api/users/me', { token: each }), 401, 'token_revoked');
        for (const each of [refreshToken, other.refreshToken])
          assertFailure(await refresh(url, each), 401, 'token_revoked');
      });

      it('A change of a role takes effect within a second', async () => {
        const { url, store, passTime } = service();
        const [author, editor] = [await newAccount(url), await newAccount(url)];
        const { id } = await newItem(url, author.token);
        const change = () =>
          call(url, 'PUT', `/api/content/${id}`, { token: editor.token, body: { title: 'Edited' } });
        assertFailure(await change(), 403, 'forbidden');
        await store.write(setRole, { account: editor.email, role: 'editor', now: Date.now() });
        passTime(SOON);
        assert.equal((await change()).status, 200);
        const me = await call(url, 'GET', '/api/users/me', { token: editor.token });
        assert.equal(me.body.data.role, 'editor');
        await store.write(setRole, { account: editor.username, role: 'member', now: Date.now() });
        passTime(SOON);
        assertFailure(await change(), 403, 'forbidden');
      });

      it('A disabled account gets the answer of a wrong password', async () => {
        const { url, store } = service();
        const { username, email } = await newAccount(url);
        await store.write(disableAccount, { account: username, now: Date.now() });
        const wrong = await call(url, 'POST', '/api/auth/login', {
          body: { username: 'nobody', password: PASSWORD },
        });
        for (const name of [username, email]) {
          const answer = await call(url, 'POST', '/api/auth/login', {
            body: { username: name, password: PASSWORD },
          });
          assertFailure(answer, 401, 'bad_credentials');
          assert.equal(answer.body.message, wrong.body.message);
        }
      });

      it('An enabled account can log in again, and its old sessions stay ended', async () => {
        const { url, store, passTime } = service();
        const { username, token, refreshToken } = await newAccount(url);
        await store.write(disableAccount, { account: username, now: Date.now() });
        await store.write(enableAccount, { account: username, now: Date.now() });
        passTime(SOON);
        assertFailure(await call(url, 'GET', '/api/users/me', { token }), 401, 'token_revoked');
        assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
        const again = await login(url, username);
        assert.equal((await call(url, 'GET', '/api/users/me', { token: again.token })).status, 200);
      });

      it('A disabled account keeps its name and its content', async () => {
        const { url, store } = service();
        const { username, token } = await newAccount(url);
        const item = await newItem(url, token);
        await store.write(disableAccount, { account: username, now: Date.now() });
        assert.deepEqual((await call(url, 'GET', `/api/content/${item.id}`)).body.data, item);
        const body = { username: username.toUpperCase(), email: 'other@example.org', password: PASSWORD };
        assertFailure(await call(url, 'POST', '/api/auth/register', { body }), 400, 'taken', {
          field: 'username',
        });
      });
    }),
  );

  describeInTurn(engine, 'one after another', (service) => {
    it('The end of all other sessions ends what a thief has begun without completing it', async () => {
      const { url, now } = service();
      const { token, username, code } = await newGuarded(url, now());
      const challenge = await challengeOf(url, username);
      assert.equal((await call(url, 'DELETE', '/api/auth/sessions', { token })).status, 200);
      assert.equal((await complete(url, challenge, code())).status, 401);
      assert.equal((await complete(url, await challengeOf(url, username), code())).status, 200);
    });

    it('Of two that end one session at once, one has ended it, and the trail says so once', async () => {
      const { url, store } = service();
      const { username, token } = await newAccount(url);
      await store.write(setRole, { account: username, role: 'admin', now: Date.now() });
      const [other, third] = [await login(url, username), await login(url, username)];
      const path = `/api/auth/sessions/${sessionIdOf(third.token)}`;
      const both = [token, other.token].map((each) => call(url, 'DELETE', path, { token: each }));
      assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [200, 404]);
      const { body } = await call(url, 'GET', '/api/audit?event=session_revoked', { token });
      assert.equal(body.data.total, 1);
    });

    it('A session is read once where many of its requests begin together', async () => {
      const asked = Promise.withResolvers<void>();
      let reads = 0;
      // The clock stands still, so that nothing is read again for its age.
      service().beforeOperations((name) => {
        if (name !== findCaller.name) return undefined;
        reads++;
        return asked.promise;
      });
      const { url, server } = service();
      const { token } = await newAccount(url);
      let missing = 16;
      server.on('request', () => {
        if (--missing === 0) setTimeout(asked.resolve, 50);
      });
      const me = async () => (await call(url, 'GET', '/api/users/me', { token })).status;
      const answers = await Promise.all(Array.from({ length: 16 }, me));
      assert.deepEqual(answers, Array(16).fill(200));
      assert.equal(reads, 1);
    });
  });

  it('The end of all sessions ends one that began meanwhile with an id that had been passed', async (t) => {
    const { store } = await startService(t, engine);
    const { userId } = await newCaller(store);
    const living = readOperation('test.living_sessions', (db, _: null) =>
      db.selectFrom('sessions').select('id').where('ended_at', 'is', null).execute(),
    );
    const begin = (sessionId: string) =>
      store.write(startSession, { ...SESSION, userId, sessionId, tokenHash: sessionId });
    let writes = 0;
    const before = async (name: string) => {
      if (name === endSomeSessions.name && ++writes === 2) await begin('-passed');
    };
    await begin('last');
    await endAll(observed(store, { before }));
    assert.deepEqual([await store.read(living, null), writes > 1], [[], true]);
  });

  it('A session that ends while it is being read is not trusted afterwards', async (t) => {
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wrap = (store: Store): Store => ({
      ...observed(store, {}),
      read: async (operation, input) => {
        const output = await store.read(operation, input);
        if (operation.name !== findCaller.name) return output;
        asked.resolve();
        await answer.promise;
        return output;
      },
    });
    // The clock stands still, so that nothing is read again for its age.
    const { url, store } = await startService(t, engine, {}, { clock: () => NOW, wrap });
    const { token, id: userId } = await newAccount(url);
    const me = () => call(url, 'GET', '/api/users/me', { token });
    const first = me();
    await asked.promise;
    await store.write(endSession, { sessionId: sessionIdOf(token), userId, now: NOW, origin: null });
    answer.resolve();
    assert.equal((await first).status, 200, 'it began before the session ended');
    assertFailure(await me(), 401, 'token_revoked');
  });

  it('A session that ended unheard of is refused also after the clock was set back', async (t) => {
    const wrap = (store: Store): Store => ({ ...observed(store, {}), onAnnouncement: () => {} });
    const { url, store, passTime } = await startService(t, engine, {}, { wrap });
    const { token, id: userId } = await newAccount(url);
    const me = () => call(url, 'GET', '/api/users/me', { token });
    assert.equal((await me()).status, 200);
    await store.write(endSession, { sessionId: sessionIdOf(token), userId, now: Date.now(), origin: null });
    passTime(-HOUR);
    assertFailure(await me(), 401, 'token_revoked');
  });
});
