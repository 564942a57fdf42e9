import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateKey } from '../../src/sessions/keys.ts';
import { addSigningKey, removeOldSigningKeys } from '../../src/sessions/signing-keys.ts';
import { call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { describeOnService } from '../support/suite.ts';
import { forgerOf, otherBitsLeftOver } from '../support/tokens.ts';

onEveryEngine('Access tokens that were accepted before', (engine) => {
  it('An accepted access token is refused once the service knows that its key was removed', async (t) => {
    const { url, store, sealing } = await startService(t, engine);
    const { token } = await newAccount(url);
    const me = () => call(url, 'GET', '/api/users/me', { token });
    assert.equal((await me()).status, 200);
    const key = await generateKey(sealing, Date.now());
    await store.write(addSigningKey, key);
    await store.write(removeOldSigningKeys, { now: Date.now() + 86_400_000 });
    await untilKeysAre(url, [key.kid]);
    assertFailure(await me(), 401, 'token_invalid');
  });
});

onEveryEngine('Tokens', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    it('An access token is good only for the account of its session', async () => {
      const { url } = service();
      const [ada, bob] = [await newAccount(url), await newAccount(url)];
      const { signed } = await forgerOf(service(), ada.token);
      const forged = await signed({ sub: String(bob.id) });
      const me = (token: string) => call(url, 'GET', '/api/users/me', { token });
      assertFailure(await me(forged), 401, 'token_revoked');
      assert.equal((await me(ada.token)).body.data.id, ada.id);
      assertFailure(await me(forged), 401, 'token_revoked');
      assert.equal((await me(ada.token)).body.data.id, ada.id);
    });

    it('A refresh token has one spelling, and any other is refused and ends no session', async () => {
      const { url } = service();
      const { refreshToken } = await newAccount(url);
      const others = [`${refreshToken}=`, otherBitsLeftOver(refreshToken)];
      for (const other of others) assertFailure(await refresh(url, other), 401, 'token_invalid');
      assert.equal((await refresh(url, refreshToken)).status, 200);
    });
  }),
);

/** Waits until the service publishes these keys and no others, which are those that it trusts. */
async function untilKeysAre(url: string, kids: readonly string[]): Promise<void> {
  const elapsed = stopwatch();
  for (;;) {
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[];
    };
    if (keys.map(({ kid }) => kid).join() === kids.join()) return;
    assert.ok(elapsed() < 30_000, 'the service still has other keys');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
