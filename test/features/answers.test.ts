import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { confirmEmailChange } from '../../src/auth/email/confirm-change.ts';
import { requestEmailChange } from '../../src/auth/email/request-change.ts';
import { requestVerification } from '../../src/auth/email/request-verification.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { hashOfToken } from '../../src/domain/token-hash.ts';
import { Shares } from '../../src/http/shares.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import {
  type Account,
  type CallOptions,
  call,
  login,
  newAccount,
  newName,
  PASSWORD,
} from '../support/client.ts';
import { type Operation, ROUTES, type Route } from '../support/contract.ts';
import { askToChange, newTestLink, newUnproven } from '../support/email.ts';
import { onEveryEngine, type TestEngine, temporaryFolder } from '../support/engines.ts';
import { newResetLink } from '../support/mail.ts';
import { creationOptions, newPasskey, PASSKEYS, requestOptions } from '../support/passkeys.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { sendRaw } from '../support/raw.ts';
import { beginTotp, challengeOf, codeOf, newGuarded } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { newPath, noSuchId } from '../support/target-of-route.ts';

/** Everything that the document says depends on a setting can be met with these. */
const SETTINGS = {
  CONTENT_READ: 'members',
  USERS_LIST: 'admins',
  TRUST_PROXY: '127.0.0.1',
  SMTP_URL: 'log',
  PUBLIC_URL: SITE.origin,
};
/** What settings alone decide is answered without the database, so one engine is enough. */
const ONE_ENGINE: TestEngine = {
  name: 'SQLite',
  settings: async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
};
/** A source that has its share of requests under way. */
const GREEDY = '203.0.113.9';
const TOO_LARGE = ' '.repeat(2 * 1024 * 1024);
const SHORT_MS = 500;
/** A passkey that nobody has. */
const STRANGE = { response: new Authenticator().get({ challenge: 'none' }) };
/** What makes a public request one of nobody. */
const WRONG: Record<string, object> = {
  login: { password: 'not the password' },
  restoreAccount: { password: 'not the password' },
  completeLogin: { challenge: 'none' },
  loginWithPasskey: STRANGE,
};
/** The clock of the service stands still, so that no code of an authenticator app is too old. */
const NOW = Date.now();
const ORIGIN = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'r' };

/** What the settings of another service refuse, and the request of it. */
const REFUSED_ELSEWHERE: Record<string, { settings: object; send: 'same' | 'signed in' | 'credentials' }> = {
  register: { settings: { REGISTRATION: 'closed' }, send: 'same' },
  login: { settings: { EMAIL_VERIFICATION: 'required', SMTP_URL: 'log' }, send: 'credentials' },
  forgetPassword: { settings: {}, send: 'same' },
  resendRegistration: { settings: {}, send: 'same' },
  beginPasskeyLogin: { settings: {}, send: 'same' },
  loginWithPasskey: { settings: {}, send: 'same' },
  requestEmailVerification: { settings: {}, send: 'signed in' },
  requestEmailChange: { settings: {}, send: 'signed in' },
  resendEmailChange: { settings: {}, send: 'signed in' },
};

interface Sending extends CallOptions {
  /** Of another service than that of all. */
  readonly elsewhere?: string;
  readonly path: string;
}

/** Asked by an account of its own, so that the admin goes on without a second factor. */
const GUARDED: Record<string, (url: string) => Promise<{ path?: string; body?: object; token?: string }>> = {
  addPasskey: async (url) => {
    const { token } = await newAccount(url);
    const response = new Authenticator().create(await creationOptions(url, token));
    return { token, body: { name: 'n', response } };
  },
  removePasskey: async (url) => {
    const { token } = await newAccount(url);
    return { token, path: `${PASSKEYS}/${(await newPasskey(url, { token })).id}` };
  },
  updatePasskey: async (url) => {
    const { token } = await newAccount(url);
    return { token, path: `${PASSKEYS}/${(await newPasskey(url, { token })).id}`, body: { name: 'n' } };
  },
  loginWithPasskey: async (url) => {
    const { authenticator } = await newPasskey(url, await newAccount(url));
    return { body: { response: authenticator.get(await requestOptions(url)) } };
  },
  completeLogin: async (url) => {
    const { username, code } = await newGuarded(url, NOW);
    return { body: { challenge: await challengeOf(url, username), code: code() } };
  },
  resendEmailChange: async (url) => ({ token: await newChanging(url) }),
  withdrawEmailChange: async (url) => ({ token: await newChanging(url) }),
  beginTotp: async (url) => ({ token: (await newAccount(url)).token }),
  confirmTotp: async (url) => {
    const { token } = await newAccount(url);
    return { token, body: { code: codeOf(await beginTotp(url, token), NOW) } };
  },
  removeTotp: async (url) => ({ token: (await newGuarded(url, NOW)).token }),
  createRecoveryCodes: async (url) => ({ token: (await newGuarded(url, NOW)).token }),
};
/** The token of an account that changes its address. */
async function newChanging(url: string): Promise<string> {
  const { token } = await newAccount(url);
  await askToChange(url, token, `${newName()}@example.org`);
  return token;
}

/** Of the own account: without an id, they are 404 where the account has no such. */
const OF_OWN = ['confirmTotp', 'removeTotp', 'resendEmailChange', 'withdrawEmailChange'];
/** Refused to the role of a member. */
const FOR_OTHERS = ['listAuditEvents', 'listUsers', 'updateContent', 'deleteContent'];

const BODIES: Record<string, (service: RunningService) => unknown> = {
  register: () => ({ username: newName(), email: `${newName()}@example.org`, password: PASSWORD }),
  createPersonalToken: () => ({ name: 'n', scope: 'read', expires_in_days: 1 }),
  changePassword: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  forgetPassword: () => ({ email: `${newName()}@example.org` }),
  resendRegistration: () => ({ username: newName(), email: `${newName()}@example.org` }),
  resetPassword: async (service) => ({
    token: (await newResetLink(service)).token,
    new_password: PASSWORD,
  }),
  updateMe: () => ({ display_name: 'Ada' }),
  verifyEmail: async (service) => {
    const { token, link } = newTestLink(service);
    const { id: userId } = await newUnproven(service);
    await service.store.write(requestVerification, { userId, link, now: Date.now(), origin: ORIGIN });
    return { token };
  },
  requestEmailChange: () => ({ email: `${newName()}@example.org` }),
  confirmEmailChange: async (service) => ({ token: await newChangeLink(service) }),
  revertEmailChange: async (service) => {
    const { token, link: wayBack } = newTestLink(service);
    const tokenHash = hashOfToken(await newChangeLink(service));
    const change = { tokenHash, wayBack, now: Date.now(), origin: ORIGIN };
    await service.store.write(confirmEmailChange, change);
    return { token };
  },
  createInvitation: () => ({ email: `${newName()}@example.org`, role: 'member' }),
  updateSession: () => ({ name: 'n' }),
  updatePersonalToken: () => ({ name: 'n' }),
  updateUser: () => ({ role: 'editor' }),
  createContent: () => ({ title: 'T', content: 'C' }),
  updateContent: () => ({ title: 'T' }),
};

/** The token of a link that changes the address of an account. */
async function newChangeLink(service: RunningService): Promise<string> {
  const { token, link } = newTestLink(service);
  const { username } = await newUnproven(service);
  const signedIn = (await login(service.url, username)).token;
  const { sub, sid: sessionId } = JSON.parse(
    Buffer.from(signedIn.split('.')[1] ?? '', 'base64url').toString(),
  );
  const caller = { userId: Number(sub), sessionId };
  const email = `${newName()}@example.org`;
  await service.store.write(requestEmailChange, { email, link, caller, now: Date.now(), origin: ORIGIN });
  return token;
}

/** A request that the operation answers with 200, of an admin who has an item. */
async function goodRequest(
  { path, operation }: Route,
  service: RunningService,
  admin: Account,
): Promise<Sending> {
  const { operationId, security = [] } = operation;
  const { username } = admin;
  const { url } = service;
  const guarded = await GUARDED[operationId]?.(url);
  if (guarded) return { path, ...guarded };
  // These two leave nothing of the tokens that they are asked with.
  const isLast = operationId === 'refresh' || operationId === 'logout';
  // And this one nothing of the account.
  const goes = operationId === 'closeAccount' ? await newAccount(url) : admin;
  const { token, refreshToken } = isLast ? await login(url, username) : goes;
  const body =
    operationId === 'login' || operationId === 'restoreAccount'
      ? { username, password: PASSWORD }
      : await BODIES[operationId]?.(service);
  return {
    path: await newPath(url, path, admin),
    ...(body === undefined ? {} : { body }),
    ...(security.length === 0 ? {} : { token: operationId === 'refresh' ? refreshToken : token }),
  };
}

/** What makes of a good request one that is answered with this status. */
const WAYS: Record<
  string,
  (good: Sending, operation: Operation, service: RunningService, t: TestContext) => Sending | Promise<Sending>
> = {
  200: (good) => good,
  400: (good, { parameters: [parameter] = [], operationId }) => {
    if (operationId === 'refresh') return { ...good, body: '{' };
    if (!parameter && good.body === undefined) return { ...good, path: `${good.path}?unknown=1` };
    if (!parameter) return { ...good, body: '{' };
    if (parameter.in === 'path') return { ...good, path: withId(good.path, '0') };
    return { ...good, path: `${good.path}?${parameter.name}=0` };
  },
  401: ({ path, body }, { operationId }) => {
    const wrong = WRONG[operationId] ?? {};
    return { path, ...(body === undefined ? {} : { body: { ...Object(body), ...wrong } }) };
  },
  403: async (good, { operationId }, service, t) => {
    const { url } = service;
    const refused = REFUSED_ELSEWHERE[operationId];
    if (refused) return refusedElsewhere(t, good, refused);
    if (operationId === 'refresh') return { path: good.path, headers: { cookie: '__Host-stoa_refresh=x' } };
    const hasOther = ['createContent', ...FOR_OTHERS].includes(operationId);
    if (!hasOther) return { ...good, ...(await withoutSecondFactor(t)) };
    const member = await newAccount(url);
    if (operationId === 'createContent')
      return { ...good, token: await newPersonalToken(url, member, 'read') };
    return { ...good, token: member.token };
  },
  404: async (good, { operationId }, { url }) => {
    if (OF_OWN.includes(operationId)) return { ...good, token: (await newAccount(url)).token };
    return { ...good, path: withId(good.path, noSuchId(good.path)) };
  },
  413: (good) => ({ ...good, body: TOO_LARGE }),
  415: (good) => ({ ...good, body: 'x', headers: { 'content-type': 'text/plain' } }),
  429: (good, _operation, _service, t) => {
    const { take } = Shares.prototype;
    t.mock.method(Shares.prototype, 'take', function (this: Shares, source: string, amount?: number) {
      return source !== GREEDY && take.call(this, source, amount);
    });
    return { ...good, headers: { 'x-forwarded-for': GREEDY } };
  },
  431: (good) => ({ ...good, headers: { x: 'x'.repeat(17 * 1024) } }),
  500: (good, _operation, { store }, t) => {
    fail(t, store, new Error('A fault of ours.'));
    return good;
  },
  503: (good, _operation, { store }, t) => {
    fail(t, store, unavailable());
    return good;
  },
};

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
  const { url, passTime } = await startService(t, ONE_ENGINE, settings);
  const { token } = await newAccount(url);
  passTime(11 * 60_000);
  return { elsewhere: url, token };
}

async function refusedElsewhere(
  t: TestContext,
  good: Sending,
  { settings, send }: (typeof REFUSED_ELSEWHERE)[string],
): Promise<Sending> {
  const service = await startService(t, ONE_ENGINE, { ...settings });
  const elsewhere = service.url;
  if (send === 'same') return { ...good, elsewhere };
  const { username } = await newUnproven(service);
  if (send === 'credentials') return { ...good, elsewhere, body: { username, password: PASSWORD } };
  return { ...good, elsewhere, token: (await login(elsewhere, username)).token };
}

/** The path with another id, which is its last part or the one before. */
function withId(path: string, id: string): string {
  return path.replace(/[^/]+(\/(?:sessions|tokens|second-factors))?$/, `${id}$1`);
}

function fail(t: TestContext, store: RunningService['store'], error: Error): void {
  for (const method of ['read', 'write', 'ping'] as const)
    t.mock.method(store, method, () => Promise.reject(error));
}

const statuses = new Set(ROUTES.flatMap(({ operation }) => Object.keys(operation.responses)));
statuses.delete('408');

onEveryEngine('Each operation that the document says can answer', (engine) =>
  describeOnService(
    engine,
    'is asked by an admin',
    (service) =>
      // One after another: some make the storage of the service fail.
      describe('in turn', { concurrency: false }, () => {
        let admin: Account;
        /** Only what is answered with 200 uses its request up; the others share one for each operation. */
        const unused = new Map<Route, Sending>();
        const requestFor = async (status: string, route: Route) => {
          const known = status === '200' ? undefined : unused.get(route);
          const good = known ?? (await goodRequest(route, service(), admin));
          if (status !== '200') unused.set(route, good);
          return good;
        };
        before(async () => {
          admin = await newWithRole(service(), 'admin');
        });

        for (const status of statuses)
          it(`${status} does answer ${status}`, async (t) => {
            const { url } = service();
            for (const route of ROUTES.filter(({ operation }) => status in operation.responses)) {
              const { method, operation } = route;
              const what = `${operation.operationId} -> ${status}`;
              const way = WAYS[status];
              assert.ok(way, `Nothing is known that leads to ${what}.`);
              const good = await requestFor(status, route);
              const { path, elsewhere = url, ...options } = await way(good, operation, service(), t);
              const answer = await call(elsewhere, method, path, options);
              assert.equal(answer.status, Number(status), `${what}: ${JSON.stringify(answer.body)}`);
              t.mock.restoreAll();
            }
          });

        it('408 does answer 408', async (t) => {
          const { url, server } = service();
          const slow = ROUTES.filter(({ operation }) => '408' in operation.responses);
          const requests = await Promise.all(slow.map((route) => goodRequest(route, service(), admin)));
          const { headersTimeout, requestTimeout } = server;
          t.after(() => Object.assign(server, { headersTimeout, requestTimeout }));
          Object.assign(server, { headersTimeout: SHORT_MS, requestTimeout: SHORT_MS });
          const answers = requests.map((good, index) =>
            text(sendRaw(t, url, withoutEnd(slow[index]?.method ?? '', good))),
          );
          for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 408 /);
        });

        it('by GET takes no notice of a body', async (t) => {
          const { url } = service();
          for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
            const { path, token } = await goodRequest(route, service(), admin);
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
