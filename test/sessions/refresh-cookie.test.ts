import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Failure, tooManyRequests, unavailable } from '../../src/domain/failure.ts';
import { SITE } from '../support/authenticator.ts';
import { type Answer, call, newAccount, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPasskey, requestOptions } from '../support/passkeys.ts';
import { challengeOf, newGuarded } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { describeInTurn, describeOnService } from '../support/suite.ts';

const NAME = '__Host-stoa_refresh';
const GONE = `${NAME}=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict`;
const [APP, OTHER] = ['https://app.example.org', 'https://evil.example'];
const TWO_WEEKS = 14 * 86_400;
const NOW = Date.UTC(2030, 0, 1);

/** The attributes of the one cookie that an answer sets, and its value apart. */
function cookieOf({ headers }: Answer) {
  const [text = '', ...others] = headers.getSetCookie();
  assert.deepEqual(others, []);
  const [pair = '', ...attributes] = text.split('; ');
  return { value: pair.slice(NAME.length + 1), text, attributes };
}

/** Asks for the next tokens as a page of the own origin does, unless the headers say otherwise. */
function refreshBy(url: string, token: string, headers: Record<string, string> = {}): Promise<Answer> {
  const cookie = `theme=dark; ${NAME}=${token}; other=1`;
  const ours = { origin: url, 'sec-fetch-site': 'same-origin', cookie };
  return call(url, 'POST', '/api/auth/refresh', { headers: { ...ours, ...headers } });
}

async function signInBy(url: string, where: unknown = 'cookie') {
  const account = await newAccount(url);
  const body = { username: account.username, password: PASSWORD, refresh_token_in: where };
  return { account, answer: await call(url, 'POST', '/api/auth/login', { body }) };
}

/** A session whose refresh token is in the cookie. */
async function newSession(url: string) {
  const { answer } = await signInBy(url);
  return { accessToken: answer.body.data.token as string, token: cookieOf(answer).value };
}

onEveryEngine('Refresh tokens in cookies', (engine) => {
  describeOnService(
    engine,
    'on one service',
    (service) => {
      it('A refresh cookie comes with a sign-in that asks for it, HttpOnly, SameSite and not in the body', async () => {
        const { answer, account } = await signInBy(service().url);
        assert.equal(answer.status, 200);
        const { value, attributes } = cookieOf(answer);
        assert.match(value, /^stoa_rt_[\w-]{75}$/);
        assert.deepEqual(attributes, [
          `Max-Age=${TWO_WEEKS}`,
          'Path=/',
          'HttpOnly',
          'Secure',
          'SameSite=Strict',
        ]);
        const { token, ...data } = answer.body.data;
        assert.deepEqual(data, {
          token_type: 'Bearer',
          expires_in: 900,
          refresh_expires_in: TWO_WEEKS,
          user: { id: account.id, username: account.username },
        });
        assert.equal((await call(service().url, 'GET', '/api/users/me', { token })).status, 200);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      });

      it('A refresh cookie comes only to a client that asks, and any other wish is refused', async () => {
        const { answer } = await signInBy(service().url, 'body');
        assert.match(answer.body.data.refresh_token, /^stoa_rt_/);
        assert.deepEqual(answer.headers.getSetCookie(), []);
        for (const where of ['header', null, ['cookie'], true]) {
          const { answer: refused } = await signInBy(service().url, where);
          assertFailure(refused, 400, 'validation_failed', { field: 'refresh_token_in' });
          assert.deepEqual(refused.headers.getSetCookie(), []);
        }
      });

      it('A refresh cookie leads eight tabs that refresh at once to one living successor', async () => {
        const { url } = service();
        const { token } = await newSession(url);
        const tabs = await Promise.all(Array.from({ length: 8 }, () => refreshBy(url, token)));
        assert.deepEqual(new Set(tabs.map(({ status }) => status)), new Set([200]));
        const [successor = '', ...others] = new Set(tabs.map((tab) => cookieOf(tab).value));
        assert.deepEqual(others, []);
        const me = (each: string) => call(url, 'GET', '/api/users/me', { token: each });
        for (const tab of tabs) assert.equal((await me(tab.body.data.token)).status, 200);
        assert.equal((await refreshBy(url, successor)).status, 200);
      });

      it('A refresh cookie that a slow tab sends counts after another tab has used the next one', async () => {
        const { url } = service();
        const { token } = await newSession(url);
        const next = cookieOf(await refreshBy(url, token)).value;
        for (const each of [next, token, next, token]) {
          const answer = await refreshBy(url, each);
          assert.deepEqual([answer.status, cookieOf(answer).value], [200, next]);
          assert.equal(
            (await call(url, 'GET', '/api/users/me', { token: answer.body.data.token })).status,
            200,
          );
        }
      });

      it('A refresh cookie counts for pages of our origin and of CORS_ORIGINS, and for no others', async () => {
        const { url } = service();
        const { host } = new URL(url);
        const { token, accessToken } = await newSession(url);
        const foreign: Record<string, string>[] = [
          { origin: OTHER },
          { origin: OTHER, 'sec-fetch-site': 'cross-site' },
          { origin: OTHER, 'sec-fetch-site': 'same-site' },
          { origin: 'null' },
          { origin: '' },
          { origin: `http://${host}.evil.example` },
          { origin: `http://127.0.0.1:1` },
          { origin: `ftp://${host}` },
          { origin: APP.toUpperCase() },
          { origin: `${APP}, ${OTHER}` },
          { origin: url, 'sec-fetch-site': 'same-site' },
          { origin: url, 'sec-fetch-site': 'cross-site' },
          { origin: url, 'sec-fetch-site': 'none' },
          { origin: APP, 'sec-fetch-site': 'none' },
        ];
        for (const headers of foreign) {
          const answer = await refreshBy(url, token, headers);
          assertFailure(answer, 403, 'forbidden');
          assert.deepEqual(answer.headers.getSetCookie(), [], JSON.stringify(headers));
        }
        const { body } = await call(url, 'GET', '/api/auth/sessions', { token: accessToken });
        const { created_at, last_used_at } = body.data.items.find(
          (each: { current: boolean }) => each.current,
        );
        assert.equal(last_used_at, created_at, 'none of these has refreshed');
        let living = token;
        for (const headers of [
          { origin: url, 'sec-fetch-site': 'same-origin' },
          { origin: APP, 'sec-fetch-site': 'same-site' },
          { origin: APP, 'sec-fetch-site': 'cross-site' },
        ]) {
          const answer = await refreshBy(url, living, headers);
          assert.equal(answer.status, 200, JSON.stringify([headers, answer.body]));
          living = cookieOf(answer).value;
        }
        const old = { headers: { origin: url, cookie: `${NAME}=${living}` } };
        assert.equal((await call(url, 'POST', '/api/auth/refresh', old)).status, 200, 'an old browser');
        const without = { headers: { cookie: `${NAME}=${living}` } };
        assertFailure(await call(url, 'POST', '/api/auth/refresh', without), 403, 'forbidden');
      });

      it('A refresh cookie is ignored when the header has a token', async () => {
        const { url } = service();
        const { token } = await newSession(url);
        const { refreshToken } = await newAccount(url);
        const both = { cookie: `${NAME}=${token}`, origin: OTHER };
        const answer = await call(url, 'POST', '/api/auth/refresh', { token: refreshToken, headers: both });
        assert.equal(answer.status, 200);
        assert.match(answer.body.data.refresh_token, /^stoa_rt_/);
        assert.deepEqual(answer.headers.getSetCookie(), []);
        for (const authorization of ['', 'Bearer', 'Basic x']) {
          const refused = await refreshBy(url, token, { authorization });
          assertFailure(refused, 401, 'token_missing');
          assert.deepEqual(refused.headers.getSetCookie(), []);
        }
        assert.equal((await refreshBy(url, token)).status, 200);
      });

      it('A refresh token of a cookie that is sent in the header comes back in the body', async () => {
        const { url } = service();
        const { token } = await newSession(url);
        const { body, headers } = await refresh(url, token);
        assert.match(body.data.refresh_token, /^stoa_rt_/);
        assert.deepEqual(headers.getSetCookie(), []);
      });

      it('A refresh cookie is no access token, and an access token is no refresh cookie', async () => {
        const { url } = service();
        const { token, accessToken } = await newSession(url);
        const cookie = { headers: { cookie: `${NAME}=${accessToken}`, origin: url } };
        assertFailure(await call(url, 'GET', '/api/users/me', cookie), 401, 'token_missing');
        assertFailure(await refreshBy(url, accessToken), 401, 'token_invalid');
        const refreshCookie = { headers: { cookie: `${NAME}=${token}`, origin: url } };
        assertFailure(await call(url, 'POST', '/api/auth/logout', refreshCookie), 401, 'token_missing');
      });

      it('A logout deletes the refresh cookie and ends its session', async () => {
        const { url } = service();
        const { token, accessToken } = await newSession(url);
        const headers = { cookie: `${NAME}=${token}` };
        const answer = await call(url, 'POST', '/api/auth/logout', { token: accessToken, headers });
        assert.deepEqual([answer.status, answer.headers.getSetCookie()], [200, [GONE]]);
        const refused = await refreshBy(url, token);
        assertFailure(refused, 401, 'token_revoked');
        assert.deepEqual(refused.headers.getSetCookie(), [GONE]);
        const { token: other } = await newAccount(url);
        const plain = await call(url, 'POST', '/api/auth/logout', { token: other });
        assert.deepEqual(plain.headers.getSetCookie(), []);
      });

      it('A refresh cookie is deleted when it was never ours', async () => {
        const { url } = service();
        for (const invented of ['stoa_rt_invented', '']) {
          const refused = await refreshBy(url, invented);
          assertFailure(refused, 401, 'token_invalid');
          assert.deepEqual(refused.headers.getSetCookie(), [GONE]);
        }
      });
    },
    { CORS_ORIGINS: APP },
    { clock: () => NOW },
  );

  it('A refresh cookie comes with a sign-in by second factor or passkey that asks for it', async (t) => {
    const { url } = await startService(t, engine, { PUBLIC_URL: SITE.origin }, { clock: () => NOW });
    const { username, code, token } = await newGuarded(url, NOW);
    const { authenticator } = await newPasskey(url, { token });
    const sent = {
      'second-factor': { challenge: await challengeOf(url, username), code: code() },
      passkey: { response: authenticator.get(await requestOptions(url)) },
    };
    for (const [path, proof] of Object.entries(sent)) {
      const body = { ...proof, refresh_token_in: 'cookie' };
      const answer = await call(url, 'POST', `/api/auth/login/${path}`, { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.ok(!('refresh_token' in answer.body.data), path);
      const refreshed = await refreshBy(url, cookieOf(answer).value, { origin: SITE.origin });
      assert.equal(refreshed.status, 200, path);
    }
  });

  describeInTurn(engine, 'one after another', (service) => {
    it('A refresh cookie is replaced by a refresh, though not within ten seconds, and a replay ends it', async () => {
      const { url, passTime } = service();
      const { token: first } = await newSession(url);
      const refreshed = async (token: string) => {
        const answer = await refreshBy(url, token);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.ok(!('refresh_token' in answer.body.data));
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        const { value, attributes } = cookieOf(answer);
        assert.equal(attributes.length, 5);
        assert.equal(attributes[0], `Max-Age=${answer.body.data.refresh_expires_in}`);
        return value;
      };
      const second = await refreshed(first);
      assert.notEqual(second, first);
      passTime(10_000);
      assert.equal(await refreshed(second), second);
      passTime(1);
      const third = await refreshed(second);
      assert.notEqual(third, second);
      passTime(10_001);
      const replayed = await refreshBy(url, second);
      assertFailure(replayed, 401, 'token_revoked');
      assert.deepEqual(replayed.headers.getSetCookie(), [GONE]);
      assertFailure(await refreshBy(url, third), 401, 'token_revoked');
    });

    it('A refresh cookie stays when the client is asked to try again later', async (t) => {
      const { url, store } = service();
      const { token } = await newSession(url);
      for (const [failure, status] of [
        [tooManyRequests('Later.', 1), 429],
        [unavailable(), 503],
        [new Failure({ error: 'busy', message: 'Later.' }), 503],
        [new Error('A fault of ours.'), 500],
      ] as const) {
        const broken = t.mock.method(store, 'write', () => Promise.reject(failure));
        const answer = await refreshBy(url, token);
        broken.mock.restore();
        assert.deepEqual([answer.status, answer.headers.getSetCookie()], [status, []]);
      }
      assert.equal((await refreshBy(url, token)).status, 200);
    });
  });
});

/** Nothing of it comes to the database, so one engine is enough. */

it('A refresh cookie counts only for pages of PUBLIC_URL where that is set', async (t) => {
  const publicUrl = 'https://stoa.example.org/accounts';
  const { url } = await startService(t, sqlite, { PUBLIC_URL: publicUrl });
  const { token } = await newSession(url);
  assertFailure(await refreshBy(url, token), 403, 'forbidden');
  assertFailure(await refreshBy(url, token, { origin: publicUrl }), 403, 'forbidden');
  assert.equal((await refreshBy(url, token, { origin: 'https://stoa.example.org' })).status, 200);
});
