import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { Shares } from '../../src/domain/admission/shares.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { inProgress } from '../../src/services/idempotency/once.ts';
import { newSetupLink } from '../../src/setup/link.ts';
import { SITE } from '../support/authenticator.ts';
import {
  type Account,
  type CallOptions,
  call,
  login,
  newAccount,
  newItem,
  newName,
  PASSWORD,
} from '../support/client.ts';
import { isStreamed, ROUTES } from '../support/contract.ts';
import { type DeclaredRoute, declaredRoutes } from '../support/declared.ts';
import { newUnproven } from '../support/email.ts';
import { ENGINES, onEveryEngine, sqlite } from '../support/engines.ts';
import { goodRequest, NOW, OF_THE_FIRST_START, USES_UP } from '../support/good-request.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { sendRaw } from '../support/raw.ts';
import { sampleBody } from '../support/samples.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { noSuchId } from '../support/target-of-route.ts';

/** Everything that the document says depends on a setting can be met with these. */
const SETTINGS = {
  CONTENT_READ: 'members',
  USERS_LIST: 'admins',
  TRUST_PROXY: '127.0.0.1',
  SMTP_URL: 'log',
  PUBLIC_URL: SITE.origin,
};
/** A source that has its share of requests under way. */
const GREEDY = '203.0.113.9';
const TOO_LARGE = ' '.repeat(5 * 1024 * 1024);
const SHORT_MS = 500;
/** Of a service without registrations, without mail and without passkeys. */
const BARE = { REGISTRATION: 'closed' };
/** What the settings of another service refuse, and the request of it. */
const REFUSED_ELSEWHERE: Record<string, { settings: object; send: 'same' | 'signed in' | 'credentials' }> = {
  register: { settings: BARE, send: 'same' },
  login: { settings: { EMAIL_VERIFICATION: 'required', SMTP_URL: 'log' }, send: 'credentials' },
  forgetPassword: { settings: BARE, send: 'same' },
  resendRegistration: { settings: BARE, send: 'same' },
  beginPasskeyLogin: { settings: BARE, send: 'same' },
  loginWithPasskey: { settings: BARE, send: 'same' },
  requestEmailVerification: { settings: BARE, send: 'signed in' },
  requestEmailChange: { settings: BARE, send: 'signed in' },
  resendEmailChange: { settings: BARE, send: 'signed in' },
};

interface Sending extends CallOptions {
  /** Of another service than that of all. */
  readonly elsewhere?: string;
  readonly path: string;
}

/** Of the own account: without an id, they are 404 where the account has no such. */
const OF_OWN = ['confirmTotp', 'removeTotp', 'resendEmailChange', 'withdrawEmailChange'];
/** A request that the operation answers with 200, of an admin who has an item, or of somebody new whom it uses up. */
async function goodSending(route: DeclaredRoute, service: RunningService, admin: Account): Promise<Sending> {
  const owner = USES_UP.has(route.operationId) ? await newAccount(service.url) : admin;
  const good = await goodRequest(service, route, owner);
  if (route.access === 'public') return good;
  return { ...good, token: route.access === 'other_token' ? owner.refreshToken : owner.token };
}

/** What makes of a good request one that is answered with this status. */
const WAYS: Record<
  string,
  (good: Sending, route: DeclaredRoute, service: RunningService, t: TestContext) => Sending | Promise<Sending>
> = {
  200: (good, { operationId }, _service, t) =>
    operationId === OF_THE_FIRST_START ? onFirstStart(good, t) : good,
  400: (good, { operation, operationId }) => {
    const find = (place: string) => operation.parameters?.find((each) => each.in === place);
    const parameter = find('path') ?? find('query');
    if (operationId === 'refresh') return { ...good, body: '{' };
    if (!parameter && good.body === undefined) return { ...good, path: `${good.path}?unknown=1` };
    if (!parameter) return { ...good, body: '{' };
    // Any text may be a name that no label has.
    if (parameter.name === 'name') return { ...good, path: `${good.path}?unknown=1` };
    // Any text may be a slug that nobody has.
    if (parameter.name === 'slug') return { ...good, path: `${good.path}?fields=none` };
    if (parameter.in === 'path') return { ...good, path: withId(good.path, '0') };
    return { ...good, path: `${good.path}?${parameter.name}=0` };
  },
  401: ({ path, body }, { access, operation }) => ({
    path,
    ...(body !== undefined && { body: access === 'public' ? sampleBody(operation) : body }),
  }),
  403: async (good, { access, programs, operationId }, service, t) => {
    const refused = REFUSED_ELSEWHERE[operationId];
    if (refused) return refusedElsewhere(t, good, refused);
    if (operationId === 'refresh') return { path: good.path, headers: { cookie: '__Host-stoa_refresh=x' } };
    if (access === 'admin') return { ...good, token: (await memberOf(service)).token };
    if (programs === 'write') return { ...good, token: await readingTokenOf(service) };
    return { ...good, ...(await withoutSecondFactor(t)) };
  },
  404: async (good, { operationId }, { url }) => {
    if (operationId === 'changeManyContent') return ofMany(good, { action: 'delete', id: 999_999 });
    if (OF_OWN.includes(operationId)) return { ...good, token: (await newAccount(url)).token };
    return { ...good, path: withId(good.path, noSuchId(good.path)) };
  },
  301: async (good, { path }, { url }) => {
    const { token = '' } = good;
    const { id, slug } = await newItem(url, token, { title: newName() });
    await call(url, 'PUT', `/api/content/${id}`, { token, body: { slug: newName() } });
    return { ...good, path: path.replace('{slug}', slug) };
  },
  304: (good) => ({ ...good, headers: { 'if-none-match': '*' } }),
  409: (good, _operation, { store }, t) => {
    fail(t, store, inProgress());
    return withKey(good, newName());
  },
  412: async (good, { operationId }, { url }) => {
    if (operationId !== 'changeManyContent') return { ...good, headers: { 'if-match': '"x"' } };
    const { id } = await newItem(url, good.token ?? '');
    return ofMany(good, { action: 'delete', id, version: 9 });
  },
  413: (good) => ({ ...good, body: TOO_LARGE }),
  415: (good) => ({ ...good, body: 'x', headers: { 'content-type': 'text/plain' } }),
  422: async (good, { method, operation }, { url }) => {
    const key = newName();
    const sample = sampleBody(operation);
    await call(url, method, good.path, { ...withKey(good, key), body: sample });
    const { operations } = Object(sample);
    const other = operations ? { operations: [...operations, ...operations] } : { ...sample, title: key };
    return { ...withKey(good, key), body: other };
  },
  429: (good, _operation, _service, t) => {
    const { take } = Shares.prototype;
    t.mock.method(Shares.prototype, 'take', function (this: Shares, source: string, amount?: number) {
      return source !== GREEDY && take.call(this, source, amount);
    });
    return { ...good, headers: { 'x-forwarded-for': GREEDY } };
  },
  431: (good) => ({ ...good, headers: { x: 'x'.repeat(17 * 1024) } }),
  500: async (good, { operation }, service, t) => {
    const sending = await withNewSession(good, operation.operationId, service);
    fail(t, service.store, new Error('A fault of ours.'));
    return sending;
  },
  503: async (good, { operation }, service, t) => {
    const sending = await withNewSession(good, operation.operationId, service);
    fail(t, service.store, unavailable());
    return sending;
  },
};

/** Operations that read nothing but the session of the caller, which the service knows for a moment. */
const OF_NO_ROWS = ['previewContent'];

async function withNewSession(good: Sending, operationId: string, { url }: RunningService): Promise<Sending> {
  return OF_NO_ROWS.includes(operationId) ? { ...good, token: (await newAccount(url)).token } : good;
}

/** The request with the link of a service that has no admin. */
async function onFirstStart(good: Sending, t: TestContext): Promise<Sending> {
  const { url, store } = await startService(t, sqlite, SETTINGS, { clock: () => NOW });
  const link = await newSetupLink(store, url, NOW);
  return { ...good, elsewhere: url, body: { ...Object(good.body), token: link?.split('=')[1] } };
}

function ofMany(good: Sending, ...operations: object[]): Sending {
  return { ...good, body: { operations } };
}

function withKey(good: Sending, key: string): Sending {
  return { ...good, headers: { 'idempotency-key': key } };
}

const members = new WeakMap<RunningService, Promise<Account>>();

/** An account without rights, one for all tests of the service. */
function memberOf(service: RunningService): Promise<Account> {
  const known = members.get(service) ?? newAccount(service.url);
  members.set(service, known);
  return known;
}

const readingTokens = new WeakMap<RunningService, Promise<string>>();

/** A personal access token that may only read, one for all tests of the service. */
async function readingTokenOf(service: RunningService): Promise<string> {
  const known = readingTokens.get(service) ?? newPersonalToken(service.url, await memberOf(service), 'read');
  readingTokens.set(service, known);
  return known;
}

const strict = new WeakMap<TestContext, Promise<{ elsewhere: string; token: string }>>();

/**
 * A token of a service that asks a second factor of everybody, of an account that has none and signed in too long ago to
 * set one up. The service has no PUBLIC_URL, and so no passkeys. One service for all of a test.
 */
function withoutSecondFactor(t: TestContext): Promise<{ elsewhere: string; token: string }> {
  const known = strict.get(t) ?? startStrict(t);
  strict.set(t, known);
  return known;
}

async function startStrict(t: TestContext): Promise<{ elsewhere: string; token: string }> {
  const settings = { ...SETTINGS, PUBLIC_URL: '', MFA_REQUIRED: 'all' };
  const { url, passTime } = await startService(t, sqlite, settings);
  const { token } = await newAccount(url);
  passTime(11 * 60_000);
  return { elsewhere: url, token };
}

const elsewheres = new WeakMap<TestContext, Map<string, Promise<RunningService>>>();

/** One service with these settings for all of a test. */
function serviceOf(t: TestContext, settings: object): Promise<RunningService> {
  const ofTest = elsewheres.get(t) ?? new Map<string, Promise<RunningService>>();
  elsewheres.set(t, ofTest);
  const key = JSON.stringify(settings);
  const known = ofTest.get(key) ?? startService(t, sqlite, { ...settings });
  ofTest.set(key, known);
  return known;
}

async function refusedElsewhere(
  t: TestContext,
  good: Sending,
  { settings, send }: (typeof REFUSED_ELSEWHERE)[string],
): Promise<Sending> {
  const service = await serviceOf(t, settings);
  const elsewhere = service.url;
  if (send === 'same') return { ...good, elsewhere };
  const { username } = await newUnproven(service);
  if (send === 'credentials') return { ...good, elsewhere, body: { username, password: PASSWORD } };
  return { ...good, elsewhere, token: (await login(elsewhere, username)).token };
}

/** The path with another id, which is its last part or the one before. */
function withId(path: string, id: string): string {
  return path.replace(
    /[^/]+(\/(?:sessions|tokens|second-factors|versions.*|restore|draft|publish|secret|test|deliveries|redeliver))?$/,
    `${id}$1`,
  );
}

function fail(t: TestContext, store: RunningService['store'], error: Error): void {
  for (const method of ['read', 'write', 'ping'] as const)
    t.mock.method(store, method, () => Promise.reject(error));
}

const statuses = [...new Set(ROUTES.flatMap(({ operation }) => Object.keys(operation.responses)))].filter(
  (status) => status !== '408',
);
/**
 * What an answer with one of these depends on is in the database. The others are asked for on the first engine: a role
 * and a token are refused by one door for all routes (access.test.ts).
 */
const OF_THE_ENGINE = ['200', '301', '304', '401', '404', '412', '422'];

const DECLARED = await declaredRoutes(SETTINGS);
const routesOf = (status: string) => DECLARED.filter(({ operation }) => status in operation.responses);
/** What another service than that of all answers, or the door before the operation begins, does not know the engine. */
const knowsEngine = (status: string, { operationId, access }: DeclaredRoute) =>
  operationId !== OF_THE_FIRST_START && (status !== '401' || access === 'public' || access === 'other_token');

onEveryEngine('Documented answers', (engine) =>
  describeOnService(
    engine,
    'asked by an admin',
    (service) =>
      // One after another: some make the storage of the service fail.
      describe('one after another', { concurrency: false }, () => {
        let admin: Account;
        /** Only a change that is answered with 200 uses its request up; the others share one for each operation. */
        const unused = new Map<DeclaredRoute, Sending>();
        const requestFor = async (status: string, route: DeclaredRoute) => {
          const usesUp = status === '200' && route.method !== 'GET';
          const known = usesUp ? undefined : unused.get(route);
          const good = known ?? (await goodSending(route, service(), admin));
          if (!usesUp) unused.set(route, good);
          return good;
        };
        before(async () => {
          admin = await newWithRole(service(), 'admin');
        });

        const isFirst = engine === ENGINES[0];
        for (const status of statuses.filter((each) => isFirst || OF_THE_ENGINE.includes(each)))
          it(`Each operation that documents ${status} can answer ${status}`, async (t) => {
            const { url } = service();
            for (const route of routesOf(status).filter((each) => isFirst || knowsEngine(status, each))) {
              const { method, operation } = route;
              const what = `${operation.operationId} -> ${status}`;
              const way = WAYS[status];
              assert.ok(way, `Nothing is known that leads to ${what}.`);
              const good = await requestFor(status, route);
              const { path, elsewhere = url, ...options } = await way(good, route, service(), t);
              const answer = await call(elsewhere, method, path, options);
              assert.equal(answer.status, Number(status), `${what}: ${JSON.stringify(answer.body)}`);
              t.mock.restoreAll();
            }
          });

        // The database has no part in these.
        if (!isFirst) return;

        it('Each operation that documents 408 can answer 408', async (t) => {
          const { url, server } = service();
          const slow = routesOf('408');
          const requests = await Promise.all(slow.map((route) => requestFor('408', route)));
          const { headersTimeout, requestTimeout } = server;
          t.after(() => Object.assign(server, { headersTimeout, requestTimeout }));
          Object.assign(server, { headersTimeout: SHORT_MS, requestTimeout: SHORT_MS });
          const answers = requests.map((good, index) =>
            text(sendRaw(t, url, withoutEnd(slow[index]?.method ?? '', good))),
          );
          for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 408 /);
        });

        it('Each GET ignores a body', async (t) => {
          const { url } = service();
          const ends = DECLARED.filter(({ method, operation }) => method === 'GET' && !isStreamed(operation));
          for (const route of ends) {
            const { path, token } = await goodSending(route, service(), admin);
            for (const type of ['text/plain', 'application/json', 'nonsense']) {
              const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`;
              const body = `Content-Type: ${type}\r\nContent-Length: ${TOO_LARGE.length}\r\n\r\n{`;
              const answer = await text(sendRaw(t, url, head + body));
              assert.ok(answer.startsWith('HTTP/1.1 200 '), `${path} with ${type}: ${answer}`);
            }
          }
        });
      }),
    SETTINGS,
    { clock: () => NOW },
  ),
);

/** The request as bytes, with a body that never ends. */
function withoutEnd(method: string, { path, token = '' }: Sending): string {
  const headers = [
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 9',
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{`;
}
