// Needs: processes.

import assert from 'node:assert/strict';
import { before, it, type TestContext } from 'node:test';
import { type Client, cookieTokens, createClient, memoryTokens } from '../../client/src/index.ts';
import { withSignal } from '../../client/src/waiting.ts';
import { newAccount, PASSWORD } from '../support/client.ts';
import { lifetimeOfSuite, sqlite } from '../support/engines.ts';
import { type RunningService, startService } from '../support/service.ts';

const EXPIRED_MS = 16 * 60_000;
const REFRESH = '/api/auth/refresh';

/** The tests share it, one after the other, each with accounts of its own. */
let service: RunningService;
const lifetime = lifetimeOfSuite();
before(async () => {
  service = await startService(lifetime, sqlite);
});

/** A page of the service: its requests have its cookie, and those to refresh wait while they are held. */
async function startPage(t: TestContext) {
  const { url } = service;
  Reflect.set(globalThis, 'location', {});
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  let cookie = '';
  let isAway = false;
  let onRequest = (_address: string) => {};
  let [beforeRequest, beforeAnswer] = [Promise.resolve(), Promise.resolve()];
  const { fetch } = globalThis;
  t.mock.method(globalThis, 'fetch', async (address: string, request: RequestInit) => {
    if (isAway) throw new TypeError('There is no network.');
    const isRefresh = address.endsWith(REFRESH);
    onRequest(address);
    if (isRefresh) await beforeRequest;
    const headers = new Headers(request.headers);
    headers.set('origin', url);
    const hasCookies = request.credentials === 'include';
    if (hasCookies && cookie !== '') headers.set('cookie', cookie);
    const answer = await fetch(address, { ...request, headers });
    if (isRefresh) await withSignal(beforeAnswer, request.signal ?? undefined);
    if (!hasCookies) return answer;
    for (const set of answer.headers.getSetCookie())
      cookie = /max-age=0/i.test(set) ? '' : (set.split(';')[0] ?? '');
    return answer;
  });
  return {
    ada: await newAccount(url),
    bob: await newAccount(url),
    /** Resolves with the next request to this path. */
    asked: (path = REFRESH) =>
      new Promise<void>((resolve) => {
        onRequest = (address) => address.endsWith(path) && resolve();
      }),
    /** Holds refreshes before they leave, or their answers, until the returned function is called. */
    hold: (what: 'request' | 'answer') => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (what === 'request') beforeRequest = promise;
      else beforeAnswer = promise;
      return resolve;
    },
    setAway: (away: boolean) => {
      isAway = away;
    },
  };
}

const signIn = async (stoa: Client, { username }: { username: string }) => {
  const result = await stoa.signIn({ username, password: PASSWORD });
  assert.ok(result.ok, JSON.stringify(result));
};
const nameOf = async (stoa: Client) => {
  const me = await stoa.call('getMe');
  return me.ok ? me.data.username : me.error.error;
};
const sessionsOf = async (url: string, { username }: { username: string }) => {
  const stoa = createClient({ url, tokens: memoryTokens() });
  await signIn(stoa, { username });
  const sessions = await stoa.call('listSessions');
  await stoa.signOut();
  // But this one, and the one that `newAccount` began.
  return sessions.ok && sessions.data.total - 2;
};

/** Two tabs of a page. Ada is signed in. */
async function startTabs(t: TestContext) {
  const page = await startPage(t);
  const open = () => createClient({ url: service.url, tokens: cookieTokens() });
  const [stoa, tab] = [open(), open()] as const;
  await signIn(stoa, page.ada);
  return { ...page, stoa, tab };
}

for (const [what, isHere] of [
  ['request', true],
  ['answer', true],
  ['answer', false],
] as const)
  it(`A sign-in ${isHere ? '' : 'in another tab '}waits for a sign-out under way, and its session lives (a late ${what})`, async (t) => {
    const { ada, bob, hold, asked, stoa, ...other } = await startTabs(t);
    const tab = isHere ? stoa : other.tab;
    service.passTime(EXPIRED_MS);
    const free = hold(what);
    const out = stoa.signOut();
    if (!isHere) await asked();
    const again = signIn(tab, bob);
    setTimeout(free, 500);
    assert.ok((await out).ok);
    await again;
    assert.equal(await nameOf(tab), bob.username);
    service.passTime(EXPIRED_MS);
    assert.equal(await nameOf(tab), bob.username, 'the cookie is that of the sign-in');
    assert.equal(await sessionsOf(service.url, ada), 0);
  });

it('A sign-out without an answer is given up before a sign-in in another tab goes on, whose cookie stays', async (t) => {
  const { bob, hold, asked, stoa, tab } = await startTabs(t);
  service.passTime(EXPIRED_MS);
  const free = hold('answer');
  const out = stoa.signOut();
  await asked();
  const again = signIn(tab, bob);
  setTimeout(free, 6_000).unref();
  const result = await out;
  assert.ok(!result.ok && result.error.error === 'network', JSON.stringify(result));
  assert.ok(result.cause instanceof DOMException && result.cause.name === 'TimeoutError', `${result.cause}`);
  await again;
  free();
  assert.equal(await nameOf(tab), bob.username);
  service.passTime(EXPIRED_MS);
  assert.equal(await nameOf(tab), bob.username, 'the cookie is that of the sign-in');
});

it('A sign-out that waited for a sign-in in another tab ends its own session, and leaves the cookie of the new one', async (t) => {
  const { ada, bob, asked, stoa, tab } = await startTabs(t);
  const asking = asked('/login');
  const again = signIn(tab, bob);
  await asking;
  assert.ok((await stoa.signOut()).ok);
  await again;
  service.passTime(EXPIRED_MS);
  assert.equal(await nameOf(tab), bob.username, 'the cookie is that of the sign-in');
  assert.equal(await sessionsOf(service.url, ada), 0);
});

it('A sign-out that another tab overtakes with a sign-in does not end the new session', async (t) => {
  const { bob, hold, asked, stoa, tab } = await startTabs(t);
  service.passTime(EXPIRED_MS);
  const free = hold('request');
  const reading = nameOf(stoa);
  await asked();
  const out = stoa.signOut();
  const overtaken = new Promise((resolve) => stoa.session.subscribe(() => resolve(stoa.session.state)));
  await signIn(tab, bob);
  assert.equal(await overtaken, 'signed-in');
  free();
  const result = await out;
  assert.equal(!result.ok && result.error.error, 'token_revoked');
  await reading;
  for (const each of [stoa, tab]) assert.equal(await nameOf(each), bob.username);
  service.passTime(EXPIRED_MS);
  for (const each of [stoa, tab]) assert.equal(await nameOf(each), bob.username);
});

it('A sign-out that did not reach the service is made good by another, without a cookie too', async (t) => {
  const { ada, setAway } = await startPage(t);
  for (const tokens of [memoryTokens(), cookieTokens()]) {
    const stoa = createClient({ url: service.url, tokens });
    await signIn(stoa, ada);
    setAway(true);
    for (const attempt of [1, 2]) assert.equal((await stoa.signOut()).status, 0, `attempt ${attempt}`);
    assert.equal(stoa.session.state, 'signed-out');
    setAway(false);
    assert.ok((await stoa.signOut()).ok);
    assert.equal(await sessionsOf(service.url, ada), 0);
  }
});

it('Two sign-outs at once are one, and each says that it succeeded', async (t) => {
  const { ada } = await startPage(t);
  const stoa = createClient({ url: service.url, tokens: memoryTokens() });
  await signIn(stoa, ada);
  const answers = await Promise.all([stoa.signOut(), stoa.signOut()]);
  assert.deepEqual(
    answers.map(({ ok }) => ok),
    [true, true],
  );
});
