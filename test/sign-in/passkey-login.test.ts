import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount, enableAccount } from '../../src/accounts/administer.ts';
import { Authenticator, type Mischief, SITE } from '../support/authenticator.ts';
import { type Account, type Answer, call, newAccount } from '../support/client.ts';
import { follow } from '../support/email.ts';
import { onEveryEngine, onOneEngine, sameDatabase } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { tokenIn } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import {
  creationOptions,
  logInWith,
  newPasskey,
  PASSKEYS,
  passkeyLogin,
  requestOptions,
} from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeInTurn, describeOnService, type InTurn } from '../support/suite.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const OTHER_PAGE = 'https://app.stoa.example';
const SETTINGS = { PUBLIC_URL: SITE.origin, CORS_ORIGINS: OTHER_PAGE };
const REFUSED = 'This passkey was not accepted; try again, or log in with your password.';

/** The answer is that of each passkey that is refused, whatever the reason. */
function assertRefused(answer: Answer, what?: string): void {
  assert.equal(answer.status, 401, `${what}: ${JSON.stringify(answer.body)}`);
  assertFailure(answer, 401, 'bad_credentials');
  assert.equal(answer.body.message, REFUSED);
}

/** Why passkeys of the account were refused, newest first. */
async function reasonsOf(service: RunningService, { id }: Account): Promise<string[]> {
  const { token } = await newWithRole(service, 'admin');
  const path = `/api/audit?event=passkey_refused&account=${id}`;
  const { items } = (await call(service.url, 'GET', path, { token })).body.data;
  return items.map(({ detail }: { detail: { because: string } }) => detail.because);
}

onEveryEngine('Sign-ins by passkey', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      for (const algorithm of ['EdDSA', 'ES256', 'RS256'] as const)
        it(`A sign-in by a passkey of ${algorithm} has a session like any other, with its device`, async () => {
          const { url } = service();
          const account = await newAccount(url);
          const { authenticator } = await newPasskey(url, account, new Authenticator(algorithm));
          const options = await requestOptions(url);
          assert.deepEqual(
            { ...options, challenge: '' },
            {
              challenge: '',
              rpId: 'stoa.example',
              timeout: 5 * MINUTE,
              userVerification: 'required',
              allowCredentials: [],
            },
          );
          const { status, body } = await logInWith(url, authenticator.get(options));
          assert.equal(status, 200, JSON.stringify(body));
          const { token, refresh_token, user } = body.data;
          assert.deepEqual(user, { id: account.id, username: account.username });
          assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.id, account.id);
          assert.equal((await call(url, 'POST', '/api/auth/refresh', { token: refresh_token })).status, 200);
          const { items } = (await call(url, 'GET', '/api/auth/sessions', { token })).body.data;
          const session = items.find(({ current }: { current: boolean }) => current);
          assert.deepEqual([session.id, session.device], [sessionIdOf(token), 'node']);
        });

      it('A sign-in by a passkey works on a page of CORS_ORIGINS', async () => {
        const { url } = service();
        const { authenticator } = await newPasskey(url, await newAccount(url));
        assert.equal((await passkeyLogin(url, authenticator, { origin: OTHER_PAGE })).status, 200);
      });

      const mischiefs: Record<string, Mischief> = {
        'on a page of another site': { origin: 'https://stoa.example.evil.example' },
        'on a page without TLS': { origin: 'http://stoa.example' },
        'for another site': { rpId: 'evil.example' },
        'without having been verified': { isVerified: false },
        'without having been there': { isPresent: false },
        'in a frame of another site': { crossOrigin: true },
        'as if it were new': { type: 'webauthn.create' },
        'that names nobody': { userHandle: undefined },
        'that is another key': { key: new Authenticator('EdDSA').privateKey },
      };
      for (const [title, mischief] of Object.entries(mischiefs))
        it(`A sign-in by a passkey ${title} is refused`, async () => {
          const { url } = service();
          const account = await newAccount(url);
          const { authenticator } = await newPasskey(url, account);
          assertRefused(await passkeyLogin(url, authenticator, mischief));
          assert.equal((await passkeyLogin(url, authenticator)).status, 200, 'and nothing else is wrong');
          // A frame of another site is refused before it is known whose passkey it is.
          if (!mischief.crossOrigin) assert.equal((await reasonsOf(service(), account)).length, 1);
        });

      it('A sign-in with the passkey of another user is refused for both accounts', async () => {
        const { url } = service();
        const [victim, thief] = [await newAccount(url), await newAccount(url)];
        const { authenticator: theirs } = await newPasskey(url, victim);
        const { authenticator: own } = await newPasskey(url, thief);
        const { id: victimsHandle } = (await creationOptions(url, victim.token)).user;
        const { credentialId } = theirs;
        assertRefused(await passkeyLogin(url, own, { credentialId }), 'their credential, own handle');
        assertRefused(
          await passkeyLogin(url, own, { credentialId, userHandle: victimsHandle }),
          'both theirs, own key',
        );
        assertRefused(
          await passkeyLogin(url, own, { userHandle: victimsHandle }),
          'own credential, their handle',
        );
        assert.deepEqual(await reasonsOf(service(), victim), ['proof', 'handle']);
        assert.deepEqual(await reasonsOf(service(), thief), ['handle']);
      });

      it('A sign-in by an unknown or removed passkey is refused in the same words', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const unknown = new Authenticator();
        unknown.create(await creationOptions(url, account.token));
        assertRefused(await passkeyLogin(url, unknown));
        const { authenticator, id } = await newPasskey(url, account);
        const { token } = (await passkeyLogin(url, authenticator)).body.data;
        await call(url, 'DELETE', `${PASSKEYS}/${id}`, { token: account.token });
        assertRefused(await passkeyLogin(url, authenticator));
        assert.equal((await call(url, 'GET', '/api/users/me', { token })).status, 200, 'its session goes on');
      });

      it('A sign-in by a passkey with a foreign, misused or misspelled challenge is refused', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(url, account);
        const { challenge } = await requestOptions(url);
        const bytes = Buffer.from(challenge, 'base64url');
        assert.equal(bytes.length, 32 + 6 + 16);
        const flipped = bytes.map((byte, index) => (index === 3 ? byte ^ 1 : byte));
        const later = Buffer.from(bytes);
        later.writeUIntBE(Date.now() + 60 * MINUTE, 32, 6);
        const wrong = {
          nothing: '',
          'other random bits': Buffer.from(flipped).toString('base64url'),
          'a later end': later.toString('base64url'),
          'of a registration': (await creationOptions(url, account.token)).challenge,
          padded: `${challenge}=`,
        };
        for (const [title, text] of Object.entries(wrong))
          assertRefused(await logInWith(url, authenticator.get({ challenge: text })), title);
        assert.equal((await logInWith(url, authenticator.get({ challenge }))).status, 200);
      });

      it('A sign-in by a passkey of a disabled account is refused without the reason', async () => {
        const { url, store } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(url, account);
        await store.write(disableAccount, { account: account.username, now: Date.now() });
        assertRefused(await passkeyLogin(url, authenticator));
        assert.deepEqual(await reasonsOf(service(), account), ['account']);
      });

      it('A sign-in by a passkey whose counter does not grow is refused and leaves an event', async () => {
        const { url } = service();
        const account = await newAccount(url);
        const { authenticator } = await newPasskey(
          url,
          account,
          new Authenticator('ES256', { counts: true }),
        );
        assert.equal((await passkeyLogin(url, authenticator, { counter: 7 })).status, 200);
        for (const counter of [7, 6, 0]) assertRefused(await passkeyLogin(url, authenticator, { counter }));
        assert.deepEqual(await reasonsOf(service(), account), ['counter', 'counter', 'counter']);
        assert.equal((await passkeyLogin(url, authenticator, { counter: 8 })).status, 200);
        const { authenticator: plain } = await newPasskey(url, account);
        for (let each = 0; each < 2; each++) assert.equal((await passkeyLogin(url, plain)).status, 200);
      });

      it('A sign-in by a passkey has members of limited size', async () => {
        const { url } = service();
        const { authenticator } = await newPasskey(url, await newAccount(url));
        const good = authenticator.get(await requestOptions(url));
        const long = 'A'.repeat(4_000);
        for (const member of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'])
          assertFailure(
            await logInWith(url, { ...good, response: { ...good.response, [member]: long } }),
            400,
            'validation_failed',
            { field: `response.response.${member}`, rule: 'maxLength' },
          );
        assertFailure(await logInWith(url, { ...good, id: 'A'.repeat(1365) }), 400, 'validation_failed');
        assertFailure(await logInWith(url, { ...good, id: 'A=' }), 400, 'validation_failed', {
          field: 'response.id',
          rule: 'format',
        });
        assert.equal((await logInWith(url, 'A'.repeat(13 * 1024))).status, 413);
        assert.equal((await logInWith(url, good)).status, 200);
      });
    },
    SETTINGS,
  );

  it('A challenge for a passkey is used once, however often and on however many instances it is sent', async (t) => {
    const database = await sameDatabase(t, engine);
    const start = () => startService(t, database, SETTINGS);
    const one = await start();
    const other = engine.name === 'PostgreSQL' ? await start() : one;
    const account = await newAccount(one.url);
    const { authenticator } = await newPasskey(one.url, account);
    const response = authenticator.get(await requestOptions(other.url));
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => logInWith((index % 2 ? one : other).url, response)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer);
    assertRefused(await logInWith(one.url, response), 'later');
    assert.deepEqual(new Set(await reasonsOf(one, account)), new Set(['challenge']));
  });

  it('A sign-in by a passkey needs a verified address where EMAIL_VERIFICATION is required, unless the account is disabled', async (t) => {
    const mails = await startMailServer(t);
    const database = await sameDatabase(t, engine);
    const before = await startService(t, database, mails.settings);
    const account = await newAccount(before.url);
    const { authenticator } = await newPasskey(before.url, account);
    assert.match((await mails.nextTo(account.email)).subject, /passkey/);
    assert.equal((await passkeyLogin(before.url, authenticator)).status, 200);
    await before.stop();
    const settings = { ...mails.settings, EMAIL_VERIFICATION: 'required' };
    const { url, store } = await startService(t, database, settings);
    const disabled = { account: account.username, now: Date.now() };
    await store.write(disableAccount, disabled);
    assertRefused(await passkeyLogin(url, authenticator));
    await store.write(enableAccount, disabled);
    assertFailure(await passkeyLogin(url, authenticator), 403, 'email_not_verified');
    const token = tokenIn(await mails.nextTo(account.email), 'verify-email');
    assert.equal((await follow(url, 'verify', token)).status, 200);
    assert.equal((await passkeyLogin(url, authenticator)).status, 200);
  });

  const suite = (service: () => InTurn) => {
    it('A challenge for a passkey lasts five minutes and leaves nothing in the database', async () => {
      const seen: string[] = [];
      service().beforeOperations((name) => seen.push(name));
      const { url, passTime } = service();
      const { authenticator } = await newPasskey(url, await newAccount(url));
      seen.length = 0;
      const [first, second] = [await requestOptions(url), await requestOptions(url)];
      assert.deepEqual(
        seen.filter((name) => /^(factors|sign_in)\./.test(name) && !name.includes('key')),
        [],
      );
      passTime(5 * MINUTE - 1);
      assert.equal((await logInWith(url, authenticator.get(first))).status, 200);
      passTime(1);
      assertRefused(await logInWith(url, authenticator.get(second)));
    });

    it('A sign-in whose passkey is refused is not the last sign-in of its account', async () => {
      const { url, passTime, now } = service();
      const begun = now();
      const account = await newAccount(url);
      const { authenticator } = await newPasskey(url, account);
      assert.equal((await passkeyLogin(url, authenticator, { counter: 7 })).status, 200);
      passTime(1_000);
      assertRefused(await passkeyLogin(url, authenticator, { counter: 6 }));
      const { token } = account;
      const { body } = await call(url, 'GET', '/api/users/me/export', { token });
      assert.equal(Date.parse(body.data.account.last_sign_in_at), begun);
    });
  };
  describeInTurn(engine, 'as time passes', suite, SETTINGS);
});

// Counted in memory, which is the same on every engine.
onOneEngine('Refused sign-ins by passkey', (engine) => {
  it('A source has a thousand refused sign-ins by passkey an hour, whatever succeeds meanwhile', async (t) => {
    const settings = { ...SETTINGS, TRUST_PROXY: '127.0.0.1' };
    const { url } = await startService(t, engine, settings, { clock: () => NOW });
    const { authenticator } = await newPasskey(url, await newAccount(url));
    const send = async (response: unknown, from: string) =>
      (
        await call(url, 'POST', '/api/auth/login/passkey', {
          body: { response },
          headers: { 'x-forwarded-for': from },
        })
      ).status;
    const good = async (from: string) => send(authenticator.get(await requestOptions(url)), from);
    const bad = authenticator.get({ challenge: 'none' });
    const seen: number[] = [];
    for (let done = 0; done < 999; done += 111) {
      seen.push(...(await Promise.all(Array.from({ length: 111 }, () => send(bad, '2001:db8::1')))));
      assert.equal(await good('2001:db8::2'), 200, 'gives back what it took');
    }
    assert.deepEqual(new Set(seen), new Set([401]));
    assert.deepEqual(
      [await send(bad, '2001:db8::1'), await send(bad, '2001:db8::1'), await good('2001:db8::2')],
      [401, 429, 429],
    );
    assert.equal(await good('203.0.113.1'), 200);
  });
});
