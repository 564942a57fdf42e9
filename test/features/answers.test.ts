import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { unavailable } from '../../src/domain/failure.ts';
import { Shares } from '../../src/http/shares.ts';
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
import { onEveryEngine, type TestEngine, temporaryFolder } from '../support/engines.ts';
import { newResetLink } from '../support/mail.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { sendRaw } from '../support/raw.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { newTarget, noSuchId } from '../support/target-of-route.ts';

/** Everything that the document says depends on a setting can be met with these. */
const SETTINGS = { CONTENT_READ: 'members', USERS_LIST: 'admins', TRUST_PROXY: '127.0.0.1', SMTP_URL: 'log' };
/** That it sends no mail is answered without the database, so one engine is enough. */
const WITHOUT_MAIL: TestEngine = {
  name: 'SQLite',
  settings: async (t) => ({ DATA_DIR: await temporaryFolder(t) }),
};
/** A source that has its share of requests under way. */
const GREEDY = '203.0.113.9';
const TOO_LARGE = ' '.repeat(2 * 1024 * 1024);
const SHORT_MS = 500;

interface Sending extends CallOptions {
  /** Of another service than that of all. */
  readonly elsewhere?: string;
  readonly path: string;
}

const BODIES: Record<string, (service: RunningService) => unknown> = {
  register: () => ({ username: newName(), email: `${newName()}@example.org`, password: PASSWORD }),
  createPersonalToken: () => ({ name: 'n', scope: 'read', expires_in: 1 }),
  changePassword: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  forgetPassword: () => ({ email: `${newName()}@example.org` }),
  resetPassword: async (service) => ({
    token: (await newResetLink(service)).token,
    password: PASSWORD,
  }),
  updateUser: () => ({ role: 'editor' }),
  createContent: () => ({ title: 'T', content: 'C' }),
  updateContent: () => ({ title: 'T' }),
};

/** A request that the operation answers with 200, of an admin who has an item. */
async function goodRequest(
  { path, operation }: Route,
  service: RunningService,
  admin: Account,
): Promise<Sending> {
  const { operationId, security = [] } = operation;
  const { username } = admin;
  const { url } = service;
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
    path: path.includes('{id}') ? path.replace('{id}', await newTarget(url, path, admin)) : path,
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
  400: (good, { parameters: [parameter] = [] }) => {
    if (!parameter) return { ...good, body: '{' };
    if (parameter.in === 'path') return { ...good, path: withId(good.path, '0') };
    return { ...good, path: `${good.path}?${parameter.name}=0` };
  },
  401: ({ path, body }) => ({
    path,
    ...(body === undefined ? {} : { body: { ...Object(body), password: 'not the password' } }),
  }),
  403: async (good, { operationId }, service, t) => {
    const { url } = service;
    if (operationId === 'forgetPassword')
      return { ...good, elsewhere: (await startService(t, WITHOUT_MAIL)).url };
    if (operationId === 'closeAccount' || operationId === 'exportAccount') {
      const own = await startService(t, WITHOUT_MAIL);
      const { token } = await newAccount(own.url);
      own.passTime(11 * 60_000);
      return { ...good, elsewhere: own.url, token };
    }
    const member = await newAccount(url);
    if (operationId === 'login') {
      await demandNewPassword(service, member.id);
      return { ...good, body: { username: member.username, password: PASSWORD } };
    }
    if (operationId === 'createContent')
      return { ...good, token: await newPersonalToken(url, member, 'read') };
    if (operationId === 'createPersonalToken')
      await Promise.all(Array.from({ length: 50 }, () => newPersonalToken(url, member)));
    return { ...good, token: member.token };
  },
  404: (good) => ({ ...good, path: withId(good.path, noSuchId(good.path)) }),
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

/** The path with another id, which is its last part or the one before. */
function withId(path: string, id: string): string {
  return path.replace(/[^/]+(\/sessions)?$/, `${id}$1`);
}

/** As an administrator does. */
async function demandNewPassword(service: RunningService, id: number): Promise<void> {
  const { token } = await newWithRole(service, 'admin');
  const body = { must_change_password: true };
  const { status } = await call(service.url, 'PUT', `/api/users/${id}`, { token, body });
  assert.equal(status, 200);
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
              const good = await goodRequest(route, service(), admin);
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
