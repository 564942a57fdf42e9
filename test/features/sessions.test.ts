import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);

onEveryEngine('A session', (engine) => {
  it('has access tokens that live 15 minutes', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { token } = await newAccount(url);
    const me = () => call(url, 'GET', '/api/users/me', { token });
    passTime(15 * MINUTE - 5 * SECOND);
    assert.equal((await me()).status, 200);
    passTime(5 * SECOND);
    assertFailure(await me(), 401, 'token_expired');
  });

  it('answers the immediate parent with the same successor for 10 seconds', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { refreshToken } = await newAccount(url);
    const { body } = await refresh(url, refreshToken);
    for (const wait of [3, 3, 3]) {
      passTime(wait * SECOND);
      const again = await refresh(url, refreshToken);
      assert.equal(again.body.data.refresh_token, body.data.refresh_token);
    }
    assert.equal((await refresh(url, body.data.refresh_token)).status, 200);
  });

  it('ends when the parent comes back after the 10 seconds', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { refreshToken } = await newAccount(url);
    const { body } = await refresh(url, refreshToken);
    passTime(11 * SECOND);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_revoked');
    assertFailure(await call(url, 'GET', '/api/users/me', { token: body.data.token }), 401, 'token_revoked');
  });

  it('gives the 10 seconds to each rotation anew, however long ago the login was', async (t) => {
    // The clock stands still but for what passes here, so that the last millisecond is met.
    const { url, passTime } = await startService(t, engine, {}, { clock: () => NOW });
    let { refreshToken } = await newAccount(url);
    for (const wait of [MINUTE, DAY]) {
      passTime(wait);
      const { body } = await refresh(url, refreshToken);
      passTime(10 * SECOND);
      const again = await refresh(url, refreshToken);
      assert.equal(again.body.data?.refresh_token, body.data.refresh_token, `rotated after ${wait} ms`);
      // The repeated request was no rotation: it began no other 10 seconds.
      if (wait === MINUTE) refreshToken = body.data.refresh_token;
    }
    passTime(1);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
  });

  it('ends when a parent comes back whose successor was used, even at once', async (t) => {
    const { url } = await startService(t, engine);
    const { refreshToken } = await newAccount(url);
    const { body } = await refresh(url, refreshToken);
    const next = await refresh(url, body.data.refresh_token);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    assertFailure(await refresh(url, next.body.data.refresh_token), 401, 'token_revoked');
  });

  it('ends alone: another session of the account goes on', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { username, refreshToken } = await newAccount(url);
    const other = await call(url, 'POST', '/api/auth/login', {
      body: { username, password: 'correct horse battery' },
    });
    await refresh(url, refreshToken);
    passTime(11 * SECOND);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    assert.equal((await refresh(url, other.body.data.refresh_token)).status, 200);
  });

  it('ends 14 days after its last refresh', async (t) => {
    const { url, passTime } = await startService(t, engine);
    const { refreshToken } = await newAccount(url);
    passTime(14 * DAY - MINUTE);
    const { status, body } = await refresh(url, refreshToken);
    assert.equal(status, 200);
    passTime(14 * DAY);
    assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_expired');
  });

  it('ends 30 days after its login, however much it is used, and says how long is left', async (t) => {
    const { url, passTime } = await startService(t, engine);
    let { refreshToken } = await newAccount(url);
    const left: number[] = [];
    for (const wait of [10 * DAY, 10 * DAY, 9 * DAY, DAY - MINUTE]) {
      passTime(wait);
      const { body } = await refresh(url, refreshToken);
      refreshToken = body.data.refresh_token;
      left.push(Math.round(body.data.refresh_expires_in / 60));
    }
    const minutes = (days: number) => days * 24 * 60;
    assert.deepEqual(left, [minutes(14), minutes(10), minutes(1), 1]);
    const { body } = await refresh(url, refreshToken);
    passTime(MINUTE);
    assertFailure(await call(url, 'GET', '/api/users/me', { token: body.data.token }), 401, 'token_revoked');
    assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_expired');
  });
});
