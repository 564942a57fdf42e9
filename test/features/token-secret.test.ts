import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAccount, refresh } from '../support/client.ts';
import { onEveryEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';

const FIRST = 'the first secret, of thirty-two and more characters';
const SECOND = 'the second secret, of thirty-two and more characters';

onEveryEngine('TOKEN_SECRET', (engine) => {
  it('that is another one refuses the refresh tokens of the first, and the first takes them again', async (t) => {
    const database = await sameDatabase(t, engine);
    const startWith = (secret: string | undefined) =>
      startService(t, database, secret === undefined ? {} : { TOKEN_SECRET: secret });
    const first = await startWith(FIRST);
    let { refreshToken } = await newAccount(first.url);
    refreshToken = (await refresh(first.url, refreshToken)).body.data.refresh_token;
    await first.stop();
    for (const other of [SECOND, undefined]) {
      const service = await startWith(other);
      assertFailure(await refresh(service.url, refreshToken), 401, 'token_invalid');
      await service.stop();
    }
    // None of that was taken for a replay, which would have ended the session.
    const again = await startWith(FIRST);
    assert.equal((await refresh(again.url, refreshToken)).status, 200);
  });
});
