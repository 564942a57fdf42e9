import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, login, newAccount, refresh } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

interfaceSuite('Logouts', (base) => {
  const logOut = (token: string) => call(base.url, 'POST', '/api/auth/logout', { token });
  const me = (token: string) => call(base.url, 'GET', '/api/users/me', { token });

  it('A logout answers with an empty object and ends the session at once', async () => {
    const { token, refreshToken } = await newAccount(base.url);
    const { status, body } = await logOut(token);
    assert.equal(status, 200);
    assert.deepEqual(body, { code: 200, data: {} });
    assertFailure(await me(token), 401, 'token_revoked');
    assertFailure(await refresh(base.url, refreshToken), 401, 'token_revoked');
    assertFailure(await logOut(token), 401, 'token_revoked');
  });

  it('A logout ends every access token of the session', async () => {
    const { token, refreshToken } = await newAccount(base.url);
    const { body } = await refresh(base.url, refreshToken);
    await logOut(body.data.token);
    assertFailure(await me(token), 401, 'token_revoked');
  });

  it('A logout leaves the other sessions of the account', async () => {
    const { username, token } = await newAccount(base.url);
    const other = await login(base.url, username);
    await logOut(token);
    assert.equal((await me(other.token)).status, 200);
    assert.equal((await refresh(base.url, other.refreshToken)).status, 200);
  });

  it('A logout needs an access token', async () => {
    const { refreshToken } = await newAccount(base.url);
    assertFailure(await call(base.url, 'POST', '/api/auth/logout'), 401, 'token_missing');
    assertFailure(await logOut(refreshToken), 401, 'token_invalid');
  });
});
