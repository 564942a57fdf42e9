import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, refresh } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

interfaceSuite('Refreshes', (base) => {
  const me = (token: string) => call(base.url, 'GET', '/api/users/me', { token });

  it('A refresh needs only the Authorization header and answers like a login', async () => {
    const { id, username, token, refreshToken } = await newAccount(base.url);
    const { status, body } = await refresh(base.url, refreshToken);
    assert.equal(status, 200);
    const { token: nextToken, refresh_token, refresh_expires_in } = body.data;
    assert.deepEqual(body, {
      code: 200,
      data: {
        token: nextToken,
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token,
        refresh_expires_in,
        user: { id, username },
      },
    });
    assert.notEqual(nextToken, token);
    assert.notEqual(refresh_token, refreshToken);
    assert.ok(Math.abs(refresh_expires_in - 14 * 86_400) <= 1);
    assert.equal((await me(nextToken)).status, 200);
  });

  it('A refresh takes any body or none', async () => {
    const { refreshToken } = await newAccount(base.url);
    for (const options of [
      { body: '' },
      { body: {} },
      { body: { refresh_token: 'other' } },
      { body: 'null' },
      { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ]) {
      const { status } = await call(base.url, 'POST', '/api/auth/refresh', {
        token: refreshToken,
        ...options,
      });
      assert.equal(status, 200, JSON.stringify(options));
    }
  });

  it('A refresh takes the token only from the header, and says so when it is in the body', async () => {
    const { refreshToken } = await newAccount(base.url);
    const answer = await call(base.url, 'POST', `/api/auth/refresh?refresh_token=${refreshToken}`, {
      body: { refresh_token: refreshToken },
      headers: { cookie: `refresh_token=${refreshToken}` },
    });
    assertFailure(answer, 401, 'token_missing');
    assert.equal(
      answer.body.message,
      'The refresh token belongs in the header "Authorization: Bearer <refresh token>", not in the body.',
    );
    const none = await call(base.url, 'POST', '/api/auth/refresh', { body: { refresh_token: 'x' } });
    assertFailure(none, 401, 'token_missing');
    assert.equal((await refresh(base.url, refreshToken)).status, 200);
  });

  it('Each refresh replaces the refresh token', async () => {
    let { refreshToken } = await newAccount(base.url);
    const seen = new Set([refreshToken]);
    for (let use = 1; use <= 5; use++) {
      const { body } = await refresh(base.url, refreshToken);
      refreshToken = body.data.refresh_token;
      seen.add(refreshToken);
      assert.equal(seen.size, use + 1);
    }
  });

  it('The immediate parent of a refresh token gets the same successor at once', async () => {
    const { refreshToken } = await newAccount(base.url);
    const first = await refresh(base.url, refreshToken);
    const again = await refresh(base.url, refreshToken);
    assert.equal(again.status, 200);
    assert.equal(again.body.data.refresh_token, first.body.data.refresh_token);
    assert.equal((await refresh(base.url, first.body.data.refresh_token)).status, 200);
  });

  it('An older refresh token that comes back ends the whole session', async () => {
    const { refreshToken } = await newAccount(base.url);
    const child = (await refresh(base.url, refreshToken)).body.data;
    const grandchild = (await refresh(base.url, child.refresh_token)).body.data;
    assertFailure(await refresh(base.url, refreshToken), 401, 'token_revoked');
    for (const token of [refreshToken, child.refresh_token, grandchild.refresh_token])
      assertFailure(await refresh(base.url, token), 401, 'token_revoked');
    for (const token of [child.token, grandchild.token]) assertFailure(await me(token), 401, 'token_revoked');
  });

  it('An access token is refused by a refresh', async () => {
    const { token } = await newAccount(base.url);
    const answer = await refresh(base.url, token);
    assertFailure(answer, 401, 'token_invalid');
    assert.match(answer.body.message ?? '', /^This is an access token; send the refresh token/);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="stoa", error="invalid_token"');
    assert.equal((await me(token)).status, 200);
  });

  it('A refresh token that was changed in any character is refused', async () => {
    const { refreshToken } = await newAccount(base.url);
    for (const at of [0, 8, 20, 40, 60, refreshToken.length - 1]) {
      const other = refreshToken[at] === 'A' ? 'B' : 'A';
      const forged = refreshToken.slice(0, at) + other + refreshToken.slice(at + 1);
      assertFailure(await refresh(base.url, forged), 401, 'token_invalid');
    }
    assertFailure(await refresh(base.url, refreshToken.slice(0, -1)), 401, 'token_invalid');
    assertFailure(await refresh(base.url, `${refreshToken}A`), 401, 'token_invalid');
    assert.equal((await refresh(base.url, refreshToken)).status, 200);
  });

  it('A refresh leaves the earlier access token valid', async () => {
    const { token, refreshToken } = await newAccount(base.url);
    await refresh(base.url, refreshToken);
    assert.equal((await me(token)).status, 200);
  });
});
