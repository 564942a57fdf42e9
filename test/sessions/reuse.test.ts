import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 1);

onEveryEngine('Replays of a refresh token', (engine) => {
  it('A replayed refresh token ends the access tokens of its session at once on its instance', async (t) => {
    // The clock stands still, so that nothing is read again for its age.
    const { url } = await startService(t, engine, {}, { clock: () => NOW });
    const { token, refreshToken } = await newAccount(url);
    const second = (await refresh(url, refreshToken)).body.data;
    const third = (await refresh(url, second.refresh_token)).body.data;
    const me = (each: string) => call(url, 'GET', '/api/users/me', { token: each });
    for (const each of [token, second.token, third.token]) assert.equal((await me(each)).status, 200);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    for (const each of [token, second.token, third.token])
      assertFailure(await me(each), 401, 'token_revoked');
  });

  it('A refresh token that was replaced under a clock that was ahead is a replay once the clock is set back', async (t) => {
    const { url, passTime } = await startService(t, engine, {}, { clock: () => NOW });
    const { refreshToken } = await newAccount(url);
    passTime(HOUR);
    assert.equal((await refresh(url, refreshToken)).status, 200);
    passTime(-HOUR);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
  });
});
