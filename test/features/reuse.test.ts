import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';

const NOW = Date.UTC(2030, 0, 1);

onEveryEngine('A refresh token that comes back', (engine) => {
  it('ends the access tokens of its session at once where that is seen, and not by a word or in a second', async (t) => {
    // The clock stands still, so that nothing is read again for its age, and no announcement is heard.
    const service = await startService(
      t,
      engine,
      {},
      { clock: () => NOW, wrap: (store) => observed(store, { isDeaf: true }) },
    );
    const { url } = service;
    const { token, refreshToken } = await newAccount(url);
    const second = (await refresh(url, refreshToken)).body.data;
    const third = (await refresh(url, second.refresh_token)).body.data;
    const me = (each: string) => call(url, 'GET', '/api/users/me', { token: each });
    for (const each of [token, second.token, third.token]) assert.equal((await me(each)).status, 200);
    assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
    for (const each of [token, second.token, third.token])
      assertFailure(await me(each), 401, 'token_revoked');
  });
});
