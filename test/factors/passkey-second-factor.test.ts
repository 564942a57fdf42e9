import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { Authenticator, type Mischief, SITE } from '../support/authenticator.ts';
import { type Account, type Answer, call, newAccount } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import {
  creationOptions,
  logInWith,
  newPasskey,
  PASSKEYS,
  passkeyLogin,
  register,
} from '../support/passkeys.ts';
import { complete, guard } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const SETTINGS = { PUBLIC_URL: SITE.origin };

/** What a login with the right password is answered, where the account has a second factor. */
async function asked(url: string, { username }: Account) {
  const answer = await signIn(url, username);
  assertFailure(answer, 401, 'second_factor_required');
  return answer.body.data;
}

/** Completes a login with the use of a passkey. */
function finish(url: string, challenge: string, response: unknown): Promise<Answer> {
  return call(url, 'POST', '/api/auth/login/second-factor', { body: { challenge, response } });
}

/** Both halves of a login. */
async function signInWith(url: string, account: Account, authenticator: Authenticator, mischief?: Mischief) {
  const { challenge, passkey } = await asked(url, account);
  return finish(url, challenge, authenticator.get(passkey, mischief));
}

async function guarded({ url }: RunningService) {
  const account = await newAccount(url);
  return { account, ...(await newPasskey(url, account)) };
}

onEveryEngine('Passkeys after a password', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('An account with a passkey is asked for it after the password, and signs in with it', async () => {
        const { url } = service();
        const { account, authenticator } = await guarded(service());
        const { challenge, methods, passkey } = await asked(url, account);
        assert.deepEqual(methods, ['passkey']);
        assert.deepEqual(
          { ...passkey, challenge: '' },
          {
            challenge: '',
            rpId: 'stoa.example',
            timeout: 5 * MINUTE,
            userVerification: 'required',
            allowCredentials: [
              { type: 'public-key', id: authenticator.credentialId, transports: ['internal', 'hybrid'] },
            ],
          },
        );
        // A key that no page finds by itself does not say whose it is.
        const response = authenticator.get(passkey, { userHandle: undefined });
        const { status, body } = await finish(url, challenge, response);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(body.data.user, { id: account.id, username: account.username });
        const me = await call(url, 'GET', '/api/users/me', { token: body.data.token });
        assert.equal(me.body.data.second_factor, true);
        const factors = await call(url, 'GET', '/api/auth/second-factors', { token: body.data.token });
        assert.deepEqual(factors.body.data, { passkeys: 1, recovery_codes_left: 0 });
        assertFailure(await finish(url, challenge, response), 401, 'challenge_invalid');
      });

      it('A sign-in by a passkey asks for nothing more', async () => {
        const { url } = service();
        const { authenticator } = await guarded(service());
        assert.equal((await passkeyLogin(url, authenticator)).status, 200);
      });

      it('The last sign-in of an account is also one by a passkey, alone or after the password', async () => {
        const { url } = service();
        const { account, authenticator } = await guarded(service());
        for (const enter of [
          () => passkeyLogin(url, authenticator),
          () => signInWith(url, account, authenticator),
        ]) {
          const began = Date.now();
          const { token } = (await enter()).body.data;
          const { account: own } = (await call(url, 'GET', '/api/users/me/export', { token })).body.data;
          assert.ok(Date.parse(own.last_sign_in_at) >= began, own.last_sign_in_at);
        }
      });

      it('A foreign passkey, one for another login and a misused one complete no login', async () => {
        const { url } = service();
        const [{ account, authenticator }, other] = [await guarded(service()), await guarded(service())];
        const [first, second] = [await asked(url, account), await asked(url, account)];
        const wrong: Record<string, unknown> = {
          'of somebody else': other.authenticator.get(first.passkey),
          'of somebody else, with their name': other.authenticator.get(first.passkey, {
            credentialId: authenticator.credentialId,
          }),
          'for another login': authenticator.get(second.passkey),
          'on another page': authenticator.get(first.passkey, { origin: 'https://evil.example' }),
          'without a verified user': authenticator.get(first.passkey, { isVerified: false }),
        };
        for (const [title, response] of Object.entries(wrong)) {
          const answer = await finish(url, first.challenge, response);
          assert.equal(answer.status, 401, title);
          assertFailure(answer, 401, 'code_invalid');
          assert.match(answer.body.message ?? '', /^This passkey was not accepted/);
        }
        // Five answers were free.
        const late = await finish(url, first.challenge, authenticator.get(first.passkey));
        assertFailure(late, 401, 'challenge_invalid');
        assert.equal(
          (await finish(url, second.challenge, authenticator.get(second.passkey))).status,
          200,
          'and nothing else was wrong',
        );
      });

      it('A challenge after a password is not valid for a sign-in by a passkey only, and the reverse', async () => {
        const { url } = service();
        const { account, authenticator } = await guarded(service());
        const { challenge, passkey } = await asked(url, account);
        assertFailure(await logInWith(url, authenticator.get(passkey)), 401, 'bad_credentials');
        const alone = await call(url, 'POST', '/api/auth/login/passkey/options');
        const refused = await finish(url, challenge, authenticator.get(alone.body.data));
        assertFailure(refused, 401, 'code_invalid');
        assert.equal((await finish(url, challenge, authenticator.get(passkey))).status, 200);
      });

      it('A passkey whose counter goes back completes no login', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(
          url,
          account,
          new Authenticator('ES256', { counts: true }),
        );
        const use = async (counter: number) =>
          (await signInWith(url, account, authenticator, { counter })).status;
        assert.deepEqual([await use(5), await use(5), await use(4), await use(6)], [200, 401, 401, 200]);
      });

      it('Recovery codes replace a passkey, and are deleted with the last passkey', async () => {
        const { url } = service();
        const { account, id } = await guarded(service());
        const { token } = account;
        const made = await call(url, 'POST', '/api/auth/recovery-codes', { token });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const [code] = made.body.data.recovery_codes;
        const { challenge, methods } = await asked(url, account);
        assert.deepEqual(methods, ['passkey', 'recovery_code']);
        assert.equal((await complete(url, challenge, code)).status, 200);
        assert.equal((await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token })).status, 200);
        assert.equal((await signIn(url, account.username)).status, 200, 'the password is enough again');
        const factors = await call(url, 'GET', '/api/auth/second-factors', { token });
        assert.deepEqual(factors.body.data, { passkeys: 0, recovery_codes_left: 0 });
      });

      it('An authenticator app is an alternative to a passkey, and each remains without the other', async () => {
        const { url } = service();
        const { account, authenticator, id } = await guarded(service());
        const { code } = await guard(url, account);
        const { challenge, methods } = await asked(url, account);
        assert.deepEqual(methods, ['totp', 'passkey', 'recovery_code']);
        assert.equal((await complete(url, challenge, code())).status, 200);
        assert.equal((await signInWith(url, account, authenticator)).status, 200);
        await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token: account.token });
        const { methods: left, passkey } = await asked(url, account);
        assert.deepEqual([left, passkey], [['totp', 'recovery_code'], undefined]);
      });

      it('A second step without a code and a passkey answers 400', async () => {
        const { url } = service();
        const path = '/api/auth/login/second-factor';
        const neither = await call(url, 'POST', path, { body: { challenge: 'none' } });
        assertFailure(neither, 400, 'validation_failed');
        assert.equal(neither.body.message, 'Send at least one of code and response.');
      });

      it('An operator removes lost passkeys with all other factors', async () => {
        const { url, store } = service();
        const { account, authenticator } = await guarded(service());
        await store.write(resetSecondFactors, {
          account: account.username,
          sendsMail: false,
          now: Date.now(),
        });
        assert.equal((await signIn(url, account.username)).status, 200);
        assertFailure(await passkeyLogin(url, authenticator), 401, 'bad_credentials');
      });

      it('Three first passkeys added at once are all added', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const add = () => register(url, account, new Authenticator());
        const answers = await Promise.all([add(), add(), add()]);
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        );
        assert.equal((await asked(url, account)).passkey.allowCredentials.length, 3);
      });
    },
    SETTINGS,
  );

  it('A passkey has five minutes after the password, and satisfies MFA_REQUIRED', async (t) => {
    const settings = { ...SETTINGS, MFA_REQUIRED: 'all' };
    const { url, passTime } = await startService(t, engine, settings, { clock: () => NOW });
    const account = await newAccount(url);
    const { token } = account;
    const sessions = () => call(url, 'GET', '/api/auth/sessions', { token });
    assertFailure(await sessions(), 403, 'second_factor_setup_required');
    assert.deepEqual((await call(url, 'GET', PASSKEYS, { token })).body.data.items, []);
    await creationOptions(url, token);
    const { authenticator, id } = await newPasskey(url, account);
    assert.equal((await sessions()).status, 200, 'at once');
    const last = await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token });
    assertFailure(last, 403, 'forbidden');
    assert.equal((await call(url, 'GET', PASSKEYS, { token })).body.data.items.length, 1);
    const { challenge, passkey } = await asked(url, account);
    passTime(5 * MINUTE);
    assertFailure(await finish(url, challenge, authenticator.get(passkey)), 401, 'challenge_invalid');
    assert.equal((await signInWith(url, account, authenticator)).status, 200);
  });

  it('A service that lost its PUBLIC_URL asks for no passkey, and takes the codes that remain', async (t) => {
    const place = await engine.settings(t);
    const before = await startService(t, engine, { ...place, ...SETTINGS });
    const account = await newAccount(before.url);
    const { recoveryCodes } = await guard(before.url, account);
    await newPasskey(before.url, account);
    await before.stop();
    const { url } = await startService(t, engine, place);
    const { challenge, methods, passkey } = await asked(url, account);
    assert.deepEqual([methods, passkey], [['totp', 'recovery_code'], undefined]);
    assert.equal((await complete(url, challenge, recoveryCodes[0] ?? '')).status, 200);
  });
});
