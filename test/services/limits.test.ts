import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { LOCAL_LIMITS, SHARED_LIMITS } from '../../src/domain/limits.ts';
import { Peer } from '../../src/domain/peer.ts';
import { IN_ALL } from '../../src/labels/rename.ts';
import { type LocalLimit, LocalLimits } from '../../src/services/limits/local.ts';
import { keyOf, type SharedLimit } from '../../src/services/limits/shared.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import { readOperation } from '../../src/store/operation.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import { type Answer, call, newAccount, newItem, newName, PASSWORD, refresh } from '../support/client.ts';
import { registerAs } from '../support/email.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { creationOptions, keep, logInWith, newPasskey, PASSKEYS, passkeyLogin } from '../support/passkeys.ts';
import { newWithRole } from '../support/people.ts';
import { beginTotp, challengeOf, complete, newGuarded } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { signIn, statuses, WRONG } from '../support/sign-in.ts';
import { describeOnService } from '../support/suite.ts';
import { noSuchId, sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const [MINUTE, HOUR, DAY] = [60, 3_600, 24 * 3_600];
const HERE = '127.0.0.1';
const SETTINGS = { TRUST_PROXY: HERE, PUBLIC_URL: SITE.origin, SMTP_URL: 'log' };

/** What a limit is counted by in a test, and one request of each route that takes from it. */
interface Meeting {
  readonly of: string | number | readonly string[];
  readonly routes: readonly (() => Promise<Answer>)[];
}
type Sent = readonly [method: string, path: string, newBody?: () => object];
type Meet = (service: RunningService) => Promise<Meeting>;

/** How the owner of a new account meets a limit that is counted by account. */
function byAccount(...requests: readonly Sent[]): Meet {
  return async ({ url }) => {
    const { id, token } = await newAccount(url);
    const send =
      ([method, path, newBody]: Sent) =>
      () =>
        call(url, method, path, { token, ...(newBody && { body: newBody() }) });
    return { of: id, routes: requests.map(send) };
  };
}

/** Codes for a sign-in from this source, which are counted as its wrong passwords are. */
function codesFrom(source: string): Meet {
  return async ({ url }) => {
    const { id, username } = await newGuarded(url, NOW);
    const challenge = await challengeOf(url, username, source);
    const line = source === HERE ? keyOf('pair', [`id ${id}`, HERE]) : keyOf('strangers', `id ${id}`);
    return { of: line, routes: [() => complete(url, challenge, 'none', source)] };
  };
}

/** Mails that a source causes to an address that it names. */
function mailsFrom(source: string, of: (email: string, source: string) => Meeting['of']): Meet {
  return async ({ url }) => {
    const [{ token }, email] = [await newAccount(url), `${newName()}@example.org`];
    const headers = { 'x-forwarded-for': source };
    const ask = () => call(url, 'POST', '/api/auth/email', { token, body: { email }, headers });
    return { of: of(email, source), routes: [ask] };
  };
}

/** The figures of the list once more, so that none changes unnoticed: how many, and seconds until one more. */
const SHARED: Record<
  Exclude<SharedLimit, 'registration'>,
  readonly [most: number, seconds: number, meet: Meet]
> = {
  pair: [
    10,
    MINUTE,
    async ({ url }) => {
      const { id, username, token } = await newAccount(url);
      const body = { current_password: WRONG, new_password: PASSWORD };
      const change = () => call(url, 'POST', '/api/auth/password', { token, body });
      return { of: [`id ${id}`, HERE], routes: [() => signIn(url, username, WRONG), change] };
    },
  ],
  source: [
    300,
    12,
    async ({ url }) => ({ of: '203.0.113.1', routes: [() => signIn(url, newName(), WRONG, '203.0.113.1')] }),
  ],
  strangers: [
    100,
    MINUTE,
    async ({ url }) => {
      const { id, username } = await newAccount(url);
      return { of: `id ${id}`, routes: [() => signIn(url, username, WRONG, '203.0.113.2')] };
    },
  ],
  second_factor: [10, HOUR, codesFrom('203.0.113.3')],
  second_factor_known: [10, 10 * MINUTE, codesFrom(HERE)],
  first_code: [
    10,
    10 * MINUTE,
    async ({ url }) => {
      const { token } = await newAccount(url);
      await beginTotp(url, token);
      const confirm = () => call(url, 'POST', '/api/auth/totp/confirm', { token, body: { code: 'none' } });
      return { of: sessionIdOf(token), routes: [confirm] };
    },
  ],
  password_change: [
    20,
    3 * MINUTE,
    byAccount(['POST', '/api/auth/password', () => ({ current_password: PASSWORD, new_password: PASSWORD })]),
  ],
  name_change: [5, 6 * DAY, byAccount(['PUT', '/api/users/me', () => ({ username: newName() })])],
  email_change: [
    5,
    HOUR,
    byAccount(['POST', '/api/auth/email', () => ({ email: `${newName()}@example.org` })]),
  ],
  email_resend: [
    5,
    HOUR,
    async ({ url }) => {
      const { token } = await newAccount(url);
      await call(url, 'POST', '/api/auth/email', { token, body: { email: `${newName()}@example.org` } });
      const resend = () => call(url, 'POST', '/api/auth/email/change/resend', { token });
      return { of: sessionIdOf(token), routes: [resend] };
    },
  ],
  factor_change: [
    30,
    2 * MINUTE,
    async ({ url }) => {
      const { id, token } = await newGuarded(url, NOW);
      const send = (method: string, path: string) => () => call(url, method, `/api/auth/${path}`, { token });
      const routes = [send('POST', 'totp'), send('POST', 'recovery-codes'), send('DELETE', 'totp')];
      return { of: id, routes };
    },
  ],
  token_creation: [
    200,
    18,
    byAccount(['POST', '/api/auth/tokens', () => ({ name: 'n', scope: 'read', expires_in_days: 1 })]),
  ],
  passkey_addition: [
    200,
    18,
    async ({ url }) => {
      const { id, token } = await newAccount(url);
      // A challenge for each request, since a request beyond the limit gets none.
      const made = [await creationOptions(url, token), await creationOptions(url, token)];
      const add = () => keep(url, token, new Authenticator().create(made.pop()));
      return { of: id, routes: [() => call(url, 'POST', `${PASSKEYS}/options`, { token }), add] };
    },
  ],
  passkey_sign_in: [
    500,
    7.2,
    async ({ url }) => {
      const account = await newAccount(url);
      const { authenticator } = await newPasskey(url, account);
      return { of: account.id, routes: [() => passkeyLogin(url, authenticator)] };
    },
  ],
  export: [10, 6 * MINUTE, byAccount(['GET', '/api/users/me/export'])],
  backup_requests: [
    20,
    3 * MINUTE,
    async (service) => {
      const { id, token } = await newWithRole(service, 'admin');
      return { of: id, routes: [() => call(service.url, 'POST', '/api/backups', { token })] };
    },
  ],
  label_renames: [
    200,
    18,
    async (service) => {
      const { token } = await newWithRole(service, 'editor');
      const body = { name: 'new' };
      const rename = (kind: string) => () =>
        call(service.url, 'PUT', `/api/content/${kind}/old`, { token, body });
      return { of: IN_ALL, routes: [rename('tags'), rename('categories')] };
    },
  ],
  mail: [5, 12 * MINUTE, mailsFrom(HERE, (email) => ['email_change', email])],
  mail_source: [100, 36, mailsFrom('203.0.113.4', (_, source) => source)],
};

/** How many there are of those that an instance counts in its memory. What an operator sets is a figure of this test. */
const LOCAL: Record<LocalLimit, readonly [most: number, meet: Meet]> = {
  registrations: [
    20,
    async ({ url }) => {
      const register = async () => (await registerAs(url, {}, '203.0.113.5')).answer;
      return { of: '203.0.113.5', routes: [register] };
    },
  ],
  refusedRefreshes: [
    6,
    async ({ url }) => ({ of: HERE, routes: [() => refresh(url, `stoa_rt_${'x'.repeat(75)}`)] }),
  ],
  refusedPasskeys: [
    1_000,
    async ({ url }) => {
      const { authenticator } = await newPasskey(url, await newAccount(url));
      const use = authenticator.get({ challenge: 'none' });
      return { of: HERE, routes: [() => logInWith(url, use)] };
    },
  ],
  passwordResets: [
    100,
    async ({ url }) => {
      const send = (path: string, body: object) => () =>
        call(url, 'POST', `/api/auth/password/${path}`, { body });
      const use = send('reset', { token: 'none', new_password: PASSWORD });
      return { of: HERE, routes: [use, send('forgotten', { email: 'nobody@example.org' })] };
    },
  ],
  mailedLinks: [
    1_000,
    async ({ url }) => {
      const { token } = await newAccount(url);
      const send = (path: string, options: object) => () => call(url, 'POST', `/api/auth/${path}`, options);
      const follow = (what: string) => send(`email/${what}`, { body: { token: 'none' } });
      const resend = send('register/resend', { body: { username: newName(), email: 'nobody@example.org' } });
      const prove = send('email/verification', { token });
      return { of: HERE, routes: [follow('verify'), follow('confirm'), follow('revert'), resend, prove] };
    },
  ],
  nameChanges: [
    200,
    byAccount(
      ...['sessions', 'tokens', 'passkeys'].map((what): Sent => {
        const path = `/api/auth/${what}/`;
        return ['PUT', path + noSuchId(path), () => ({ name: 'A name' })];
      }),
    ),
  ],
  webhookSends: [
    200,
    async (service) => {
      const { id, token } = await newWithRole(service, 'admin');
      const send = (path: string) => () =>
        call(service.url, 'POST', `/api/webhooks/999999/${path}`, { token });
      return { of: id, routes: [send('test'), send('deliveries/1/redeliver')] };
    },
  ],
  labelRenames: [
    60,
    byAccount(
      ...['tags', 'categories'].map(
        (what): Sent => ['PUT', `/api/content/${what}/old`, () => ({ name: 'new' })],
      ),
    ),
  ],
  profileChanges: [200, byAccount(['PUT', '/api/users/me', () => ({ display_name: 'A name' })])],
  writes: [
    6,
    byAccount(
      ['POST', '/api/content', () => ({ title: 't', content: 'c' })],
      ['PUT', '/api/content/999999', () => ({ content: 'c' })],
      ['DELETE', '/api/content/999999'],
    ),
  ],
  // A mebibyte each, with the title.
  writtenMebibytes: [
    3,
    async (service) => {
      const { url } = service;
      const { id, token } = await newWithRole(service, 'editor');
      const item = await newItem(url, (await newAccount(url)).token);
      const send = (method: string, path: string, body: object) => () =>
        call(url, method, `/api/content${path}`, { token, body });
      const text = 'x'.repeat(1024 * 1024);
      const routes = [
        send('POST', '', { title: 't', content: text.slice(1024) }),
        send('PUT', `/${item.id}`, { content: text }),
      ];
      return { of: id, routes };
    },
  ],
};

const readBucket = readOperation('test.read_bucket', async (db, key: string) => {
  const row = await db.selectFrom('guess_debts').select('empty_at').where('key', '=', key).executeTakeFirst();
  return row?.empty_at ?? NOW;
});

const countPending = readOperation('test.count_pending', async (db, email: string) => {
  const rows = db
    .selectFrom('links')
    .select('token_hash')
    .where('purpose', '=', 'register')
    .where('email_key', '=', email);
  return (await rows.execute()).length;
});

onEveryEngine('Limits that instances share', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      for (const [limit, [most, seconds, meet]] of entriesOf(SHARED))
        it(`Each route with the shared limit "${limit}" refuses after ${most}, and says when one is free`, async () => {
          const { store } = service();
          const { of, routes } = await meet(service());
          const key = keyOf(limit, of);
          const emptyAt = NOW + (most - routes.length) * seconds * 1000;
          const charge = {
            key,
            everyMs: emptyAt - (await store.read(readBucket, key)),
            withinMs: DAY * 1_000,
          };
          await store.write(countMistake, { charges: [charge], now: NOW });
          await assertLast(routes, { seconds, refusal: SHARED_LIMITS[limit].refusal });
        });

      it('Requests at once take no more than a limit has: of 40 that begin an app, 10 are refused', async () => {
        const { url } = service();
        const { token } = await newAccount(url);
        const begin = () => call(url, 'POST', '/api/auth/totp', { token });
        const answers = await Promise.all(Array.from({ length: 40 }, begin));
        const seen = answers.map(({ status }) => status).sort();
        assert.deepEqual(seen, [...Array<number>(30).fill(200), ...Array<number>(10).fill(429)]);
      });
    },
    { ...SETTINGS, REGISTRATIONS_PER_HOUR: '0' },
    { clock: () => NOW },
  ),
);

// The database knows nothing of these, so one engine is enough.
describeOnService(
  sqlite,
  'Limits that one instance counts in its memory',
  (service) => {
    for (const [limit, [most, meet]] of entriesOf(LOCAL))
      it(`Each route with the local limit "${limit}" refuses after ${most}, and says when one is free`, async () => {
        const { routes } = await meet(service());
        const [first = assert.fail()] = routes;
        const taken = Array.from({ length: most - routes.length }, () => first);
        while (taken.length > 0) await Promise.all(taken.splice(0, 20).map((send) => send()));
        await assertLast(routes, { seconds: 3_600 / most, refusal: LOCAL_LIMITS[limit].refusal });
      });
  },
  {
    ...SETTINGS,
    REGISTRATIONS_PER_HOUR: '20',
    REFUSED_REFRESHES_PER_HOUR: '6',
    WRITES_PER_HOUR: '6',
    WRITTEN_MB_PER_HOUR: '3',
  },
  { clock: () => NOW },
);

it('A local limit that was spent under a clock that was ahead is free again within its time', async (t) => {
  const settings = { REFUSED_REFRESHES_PER_HOUR: '6' };
  const { url, passTime } = await startService(t, sqlite, settings, { clock: () => NOW });
  const refuse = () => refresh(url, `stoa_rt_${'x'.repeat(75)}`);
  passTime(365 * DAY * 1_000);
  assert.equal((await refuse()).status, 401);
  passTime(-365 * DAY * 1_000);
  assert.equal((await refuse()).headers.get('retry-after'), String(10 * MINUTE));
  passTime(10 * MINUTE * 1_000);
  assert.equal((await refuse()).status, 401);
});

it('What a worker gives back of a local limit is free again at the others', async () => {
  // The primary passes on what a worker tells, so each hears the other.
  const heard: ((message: unknown) => void)[] = [];
  const limitsOf = (other: number) => {
    const primary = new Peer({
      send: (message) => heard[other]?.(message),
      onMessage: (listener) => heard.push(listener),
    });
    return new LocalLimits(readConfig({}), () => NOW, { count: 2, primary });
  };
  const [here, there] = [limitsOf(1), limitsOf(0)];
  const left = (limits: LocalLimits) => Math.floor(limits.roomOf('refusedPasskeys', HERE).left);
  here.spend('refusedPasskeys', HERE, 1_000);
  await until(() => left(there) === 0, 'the other worker hears what was spent');
  assert.throws(() => there.spend('refusedPasskeys', HERE), /Too many passkeys were refused/);
  // As for sign-ins that succeed.
  here.giveBack('refusedPasskeys', HERE, 1_000);
  await until(() => left(there) === 1_000, 'the other worker hears what was given back');
  assert.equal(left(here), 1_000);
});

onEveryEngine('Mails of pending registrations', (engine) => {
  const settings = { ...SETTINGS, EMAIL_VERIFICATION: 'required' };
  const suite = (service: () => RunningService) => {
    it('A pending registration is mailed three times for one address and source, and then silently not', async () => {
      const { url, store } = service();
      const [username, email] = [newName(), `${newName()}@example.org`];
      const seen = await statuses(4, async () => (await registerAs(url, { username, email })).answer);
      assert.deepEqual(seen, [200, 200, 200, 200]);
      assert.equal(await store.read(countPending, email), 3);
    });

    it('A registration is answered the same however many mails its address had', async () => {
      const { url, store } = service();
      const email = `${newName()}@example.org`;
      const register = (index: number) => registerAs(url, { email }, `203.0.113.${index}`);
      assert.deepEqual(
        await statuses(6, async (index) => (await register(index)).answer),
        Array(6).fill(200),
      );
      assert.equal(await store.read(countPending, email), 5);
    });

    it('A registration that waits is not told of by its resend where no more mails may be asked for', async () => {
      const { url, store } = service();
      const { username, email } = await registerAs(url);
      const full = { everyMs: HOUR * 1_000, withinMs: HOUR * 1_000 };
      const spent = { key: keyOf('mail_source', '203.0.113.99'), ...full };
      await store.write(countMistake, { charges: [spent], now: NOW });
      const headers = { 'x-forwarded-for': '203.0.113.99' };
      for (const body of [
        { username, email },
        { username: newName(), email },
      ]) {
        const { status, body: answer } = await call(url, 'POST', '/api/auth/register/resend', {
          body,
          headers,
        });
        assert.deepEqual([status, answer], [200, { code: 200, data: {} }]);
      }
      assert.equal(await store.read(countPending, email), 1);
    });

    it('An address in capital letters gets no mails beyond those of the same address in small ones', async () => {
      const { url, store } = service();
      const email = `${newName()}@example.org`.toLowerCase();
      await statuses(3, async () => (await registerAs(url, { email }, '203.0.113.1')).answer);
      assert.equal(await store.read(countPending, email), 3);
      const capitals = { email: email.toUpperCase() };
      await statuses(3, async () => (await registerAs(url, capitals, '203.0.113.2')).answer);
      assert.equal(await store.read(countPending, email), 5);
    });
  };
  describeOnService(engine, 'on one service', suite, settings, { clock: () => NOW });
});

it('The limits that an operator may set have the defaults of the manual', () => {
  const { registrationsPerHour, refusedRefreshesPerHour, ...config } = readConfig({});
  assert.deepEqual([registrationsPerHour, refusedRefreshesPerHour], [1_000, 1_000]);
  assert.deepEqual([config.writesPerHour, config.writtenMebibytesPerHour], [100_000, 1_024]);
  assert.deepEqual([config.storedMebibytes, config.sessionLimit], [10_240, 50]);
});

/** Each route has one more that is free, and none has another. */
async function assertLast(
  routes: Meeting['routes'],
  { seconds, refusal }: { readonly seconds: number; readonly refusal: string },
): Promise<void> {
  for (const [index, send] of routes.entries()) {
    const { status, body } = await send();
    assert.notEqual(body.message, refusal, `route ${index + 1} of ${routes.length}, ${status}`);
  }
  for (const send of routes) {
    const refused = await send();
    assertFailure(refused, 429, 'too_many_requests');
    assert.equal(refused.body.message, refusal);
    assert.equal(refused.headers.get('retry-after'), String(Math.ceil(seconds)));
  }
}

function entriesOf<Name extends string, Value>(record: Record<Name, Value>): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}
