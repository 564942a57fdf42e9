import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { challengeOf, complete, newGuarded } from '../support/second-factor.ts';

/** Challenges that an account has at once. */
const MOST = 5;

onEveryEngine('Logins at once with one second factor', (engine) => {
  it('One of several logins at once passes with the same code, recovery code or challenge', async (t) => {
    const fleet = await startFleet(t, engine);
    const { url } = fleet.instance(0);
    const { username, refreshToken, code, recoveryCodes } = await newGuarded(url, fleet.now());
    const atOnce = async (pairs: readonly (readonly [challenge: string, code: string])[]) => {
      const answers = await Promise.all(
        pairs.map(([challenge, each], index) => complete(fleet.instance(index).url, challenge, each)),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers));
      return answers.filter(({ status }) => status !== 200);
    };
    const challenges = async () => {
      const opened: string[] = [];
      for (let each = 0; each < MOST; each++) {
        // The newest stay.
        fleet.passTime(1);
        opened.push(await challengeOf(url, username));
      }
      return opened;
    };
    for (const one of [code(), recoveryCodes[0] ?? ''])
      for (const refused of await atOnce((await challenges()).map((challenge) => [challenge, one])))
        assertFailure(refused, 401, 'code_invalid');

    const codesLeft = async (token: string) =>
      (await call(url, 'GET', '/api/auth/second-factors', { token })).body.data.recovery_codes_left;
    fleet.passTime(60 * 60_000);
    const [challenge = ''] = await challenges();
    const codes = recoveryCodes.slice(1, 1 + MOST);
    for (const refused of await atOnce(codes.map((each) => [challenge, each])))
      assertFailure(refused, 401, 'challenge_invalid');
    const { token } = (await refresh(url, refreshToken)).body.data;
    assert.equal(await codesLeft(token), 8, 'a code that let nobody in is good once more');
  });
});
