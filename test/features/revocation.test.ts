import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endSession } from '../../src/auth/session.ts';
import { disableAccount, enableAccount, setRole } from '../../src/users/administer.ts';
import { call, login, newAccount, newItem, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';

/** Past the second within which every instance knows. */
const SOON = 1000;

onEveryEngine('Revocation', (engine) => {
  it('of a session elsewhere holds here within a second', async (t) => {
    const { url, store, passTime } = await startService(t, engine);
    const { token } = await newAccount(url);
    const me = () => call(url, 'GET', '/api/users/me', { token });
    assert.equal((await me()).status, 200);
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    await store.write(endSession, { sessionId: sid, now: Date.now(), origin: null });
    passTime(SOON);
    assertFailure(await me(), 401, 'token_revoked');
  });

  it('of a disabled account ends all of its sessions within a second', async (t) => {
    const { url, store, passTime } = await startService(t, engine);
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

  it('of a role holds within a second', async (t) => {
    const { url, store, passTime } = await startService(t, engine);
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

  it('leaves a disabled account the same answer as a wrong password', async (t) => {
    const { url, store } = await startService(t, engine);
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

  it('lets an enabled account log in again, and leaves its old sessions ended', async (t) => {
    const { url, store, passTime } = await startService(t, engine);
    const { username, token, refreshToken } = await newAccount(url);
    await store.write(disableAccount, { account: username, now: Date.now() });
    await store.write(enableAccount, { account: username, now: Date.now() });
    passTime(SOON);
    assertFailure(await call(url, 'GET', '/api/users/me', { token }), 401, 'token_revoked');
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    const again = await login(url, username);
    assert.equal((await call(url, 'GET', '/api/users/me', { token: again.token })).status, 200);
  });

  it('keeps the name and the content of a disabled account', async (t) => {
    const { url, store } = await startService(t, engine);
    const { username, token } = await newAccount(url);
    const item = await newItem(url, token);
    await store.write(disableAccount, { account: username, now: Date.now() });
    assert.deepEqual((await call(url, 'GET', `/api/content/${item.id}`)).body.data, item);
    const body = { username: username.toUpperCase(), email: 'other@example.org', password: PASSWORD };
    assertFailure(await call(url, 'POST', '/api/auth/register', { body }), 400, 'taken', {
      field: 'username',
    });
  });
});
