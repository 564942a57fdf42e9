// Needs: a browser, processes.

import assert from 'node:assert/strict';
import { before, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type * as client from '../../client/src/index.ts';
import type { LiveEvent, listen } from '../../client/src/live.ts';
import { startBrowser } from '../support/browser.ts';
import { newAccount, newItem, PASSWORD } from '../support/client.ts';
import { startClientSite } from '../support/client-site.ts';
import { lifetimeOfSuite, sameDatabase, sqlite } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { type RunningService, startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

const REFRESH = '/api/auth/refresh';
const EXPIRED_MS = 16 * 60_000;
type Mode = 'cookieTokens' | 'storedTokens';

declare global {
  var stoaClient: typeof client & { listen: typeof listen };
  var stoa: client.Client;
  var heard: LiveEvent[];
  /** When this tab noticed a sign-out, by a clock that all tabs share. */
  var noticed: Promise<number>;
}

/** Some tabs share a process and others do not, as where a browser has many tabs. */
const FEW_PROCESSES = ['--renderer-process-limit=3'];

const lifetime = lifetimeOfSuite();
let browser: Browser;
/** The tests share it, one after the other, each with accounts of its own. */
let service: RunningService;
before(async () => {
  browser = await startBrowser(lifetime, FEW_PROCESSES);
  service = await startService(lifetime, sqlite);
});

/** A context of the test: its tabs have a storage and cookies of their own. */
async function newContext(t: TestContext): Promise<BrowserContext> {
  const context = await browser.newContext();
  t.after(() => context.close());
  return context;
}

/** A tab with a client. */
async function tab(context: BrowserContext, url: string, mode: Mode): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate((mode) => {
    globalThis.stoa = stoaClient.createClient({ url: '', tokens: stoaClient[mode]() });
  }, mode);
  return page;
}

const nameOf = (page: Page) =>
  page.evaluate(async () => {
    const me = await stoa.call('getMe');
    return me.ok ? me.data.username : me.error.error;
  });
const stateOf = (page: Page) => page.evaluate(() => stoa.session.state);

const signIn = (page: Page, username: string) =>
  page.evaluate((body) => stoa.signIn(body).then(({ ok }) => ok), { username, password: PASSWORD });

/** This is not about how long a tab waits for a lock or an answer, and a busy machine may need longer. */
const patiently = (context: BrowserContext) =>
  context.addInitScript(() => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 10 * ms);
    const set = globalThis.setTimeout;
    Reflect.set(globalThis, 'setTimeout', (work: () => void, ms = 0) => set(work, 10 * ms));
  });

/** So many tabs of one session. */
async function openTabs(t: TestContext, context: BrowserContext, mode: Mode, most = 10) {
  const site = await startClientSite(t, service.url);
  const { username } = await newAccount(service.url);
  const tabs = [await tab(context, site.url, mode)];
  const [first] = tabs;
  assert.ok(first);
  assert.ok(await signIn(first, username));
  for (let count = 1; count < most; count++) tabs.push(await tab(context, site.url, mode));
  const refreshes = () => site.asked.filter((each) => each === `POST ${REFRESH}`).length;
  return { site, username, tabs, first, refreshes };
}

/** Signs out in the first tab, and returns after how many milliseconds the last tab has noticed. */
async function signOutTime([first, ...others]: readonly Page[]): Promise<number> {
  assert.ok(first);
  for (const each of others)
    await each.evaluate(() => {
      globalThis.noticed = new Promise((resolve) => {
        const leave = stoa.session.subscribe(() => {
          if (stoa.session.state !== 'signed-out') return;
          leave();
          resolve(performance.timeOrigin + performance.now());
        });
      });
    });
  const elapsed = stopwatch();
  const began = await first.evaluate(async () => {
    const began = performance.timeOrigin + performance.now();
    await stoa.signOut();
    return began;
  });
  const times = await Promise.all(others.map((each) => each.evaluate(() => noticed)));
  return Math.min(Math.max(...times) - began, elapsed());
}

for (const mode of ['cookieTokens', 'storedTokens'] as const)
  for (const way of ['a channel', 'storage events'] as const) {
    // A cookie gives no event: without a channel such a tab notices with its next request.
    if (mode === 'cookieTokens' && way === 'storage events') continue;
    it(`A sign-out reaches ten tabs within a second by ${way} (${mode})`, async (t) => {
      const context = await newContext(t);
      if (way === 'storage events')
        await context.addInitScript(() => {
          Reflect.deleteProperty(Navigator.prototype, 'locks');
          Reflect.deleteProperty(globalThis, 'BroadcastChannel');
        });
      const { username, tabs, first } = await openTabs(t, context, mode);
      // Each tab has the token of this session, as one that is in use.
      for (const each of tabs) assert.equal(await nameOf(each), username);
      let took = await signOutTime(tabs);
      // A busy machine can make any time long, but not three in a row.
      for (let again = 0; took >= 1_000 && again < 2; again++) {
        assert.ok(await signIn(first, username));
        for (const each of tabs) await each.waitForFunction(() => stoa.session.state === 'signed-in');
        took = await signOutTime(tabs);
      }
      assert.ok(took < 1_000, `The last tab noticed after ${took.toFixed(0)} ms.`);
      for (const each of tabs) assert.equal(await nameOf(each), 'token_missing');
    });
  }

for (const mode of ['cookieTokens', 'storedTokens'] as const)
  it(`Ten tabs with an expired token refresh once and sign out together (${mode})`, async (t) => {
    const context = await newContext(t);
    await patiently(context);
    const { site, username, tabs, first, refreshes } = await openTabs(t, context, mode);
    service.passTime(EXPIRED_MS);
    const { asked, free } = site.hold(REFRESH);
    const leading = nameOf(first);
    await asked;
    const others = tabs.slice(1).map(nameOf);
    await first.waitForFunction(async () => (await navigator.locks.query()).pending?.length === 9);
    free();
    assert.deepEqual(await Promise.all([leading, ...others]), Array(10).fill(username));
    assert.equal(refreshes(), 1);

    assert.ok(await first.evaluate(() => stoa.signOut().then(({ ok }) => ok)));
    for (const each of tabs) await each.waitForFunction(() => stoa.session.state === 'signed-out');
  });

it('A tab that never gives the lock back delays the others by some seconds and no more', async (t) => {
  const context = await newContext(t);
  const { username, tabs, first } = await openTabs(t, context, 'storedTokens', 4);
  service.passTime(EXPIRED_MS);
  await first.evaluate(
    () =>
      new Promise<void>((held) => {
        void navigator.locks.request(String(stoa.session.name), () => {
          held();
          return new Promise(() => {});
        });
      }),
  );
  const elapsed = stopwatch();
  const names = await Promise.all(tabs.slice(1).map(nameOf));
  assert.deepEqual(names, Array(3).fill(username));
  // Three seconds by design. The rest is for a busy machine.
  assert.ok(elapsed() < 15_000);
});

it('A token that a refresh brings after another tab has signed out is discarded', async (t) => {
  const context = await newContext(t);
  const { site, tabs, first } = await openTabs(t, context, 'cookieTokens', 2);
  service.passTime(EXPIRED_MS);
  const { asked, free } = site.hold(REFRESH);
  // So that the late refresh still succeeds at the service.
  const logout = site.hold('/api/auth/logout');
  const late = nameOf(first);
  await asked;
  const out = tabs[1]?.evaluate(() => stoa.signOut().then(({ ok }) => ok));
  await first.waitForFunction(() => stoa.session.state === 'signed-out');
  free();
  assert.equal(await late, 'token_missing');
  assert.equal(await stateOf(first), 'signed-out');
  logout.free();
  assert.ok(await out);
});

it('Tabs without locks and channels stay signed in together, and a page that closes midway loses nothing', async (t) => {
  const context = await newContext(t);
  await context.addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'locks');
    Reflect.deleteProperty(globalThis, 'BroadcastChannel');
    // Ten refreshes one after another may take longer than a tab waits for a lease.
    const now = performance.now.bind(performance);
    performance.now = () => now() / 3;
  });
  const { site, username, tabs, first } = await openTabs(t, context, 'storedTokens');
  service.passTime(EXPIRED_MS);
  assert.deepEqual(await Promise.all(tabs.map(nameOf)), Array(10).fill(username));

  service.passTime(EXPIRED_MS);
  const slow = Promise.withResolvers<void>();
  site.meddle(REFRESH, async (_asked, _reply, answer) => {
    site.meddle(REFRESH, undefined);
    slow.resolve();
    await pause(500);
    await answer();
  });
  const slowly = nameOf(first);
  await slow.promise;
  for (const each of tabs.slice(1, 3)) assert.equal(await nameOf(each), username);
  assert.equal(await slowly, username);

  service.passTime(EXPIRED_MS);
  const asked = Promise.withResolvers<void>();
  site.meddle(REFRESH, async (_asked, _reply, answer) => {
    const done = answer(true);
    await done;
    asked.resolve();
  });
  const lost = nameOf(first).catch(() => {});
  await asked.promise;
  await first.close();
  await lost;
  site.meddle(REFRESH, undefined);
  const [second] = tabs.slice(1);
  assert.ok(second);
  assert.equal(await nameOf(second), username);
  assert.ok(await second.evaluate(() => stoa.signOut().then(({ ok }) => ok)));
  for (const each of tabs.slice(1)) await each.waitForFunction(() => stoa.session.state === 'signed-out');
  assert.equal(await stateOf(second), 'signed-out');
});

/** How many streams of events are open, by what passes the site. */
function openStreams(site: Awaited<ReturnType<typeof startClientSite>>): () => number {
  let open = 0;
  site.meddle('/api/events', async (_asked, _reply, answer) => {
    open++;
    await answer();
    open--;
  });
  return () => open;
}

/** The tab keeps what it hears in `heard`. */
const listenFromTheStart = (page: Page) =>
  page.evaluate(() => {
    globalThis.heard = [];
    void (async () => {
      for await (const event of stoaClient.listen(stoa, { after: '0.0' })) heard.push(event);
    })();
  });

/** Waits until the tab has heard of this new item. An account may have the same id. */
async function hears(page: Page, id: number): Promise<void> {
  await page.waitForFunction(
    (id) => heard.some(({ event, data }) => event === 'content.created' && data.id === id),
    id,
  );
}

/** Waits until the tab has heard of the last of these new items: it has heard of each once, in this order. */
async function hearsEachOnce(page: Page, made: readonly number[]): Promise<void> {
  await hears(page, made.at(-1) ?? 0);
  const ids = await page.evaluate(() =>
    heard.filter(({ event }) => event === 'content.created').map(({ data }) => data.id),
  );
  assert.deepEqual(ids, made);
}

it('A tab that leads and says nothing loses the lead, and hears every event as the others do', async (t) => {
  const own = await startService(t, sqlite);
  const site = await startClientSite(t, own.url);
  const { username, token } = await newAccount(own.url);
  const open = openStreams(site);
  const context = await newContext(t);
  await context.clock.install();
  const tabs: Page[] = [];
  for (const isSilent of [true, false, false]) {
    const page = await tab(context, site.url, 'storedTokens');
    if (isSilent) assert.ok(await signIn(page, username));
    // As a suspended tab does, which keeps its lock.
    if (isSilent)
      await page.evaluate(() => {
        BroadcastChannel.prototype.postMessage = () => {};
      });
    await listenFromTheStart(page);
    if (isSilent) await until(() => open() === 1, 'the first tab leads');
    tabs.push(page);
  }
  const { id } = await newItem(own.url, token);
  const [silent, ...others] = tabs;
  assert.ok(silent);
  await hears(silent, id);
  for (const page of others) assert.equal(await page.evaluate(() => heard.length), 0);
  // The silence of a leader, and the time that it has to answer. The tabs have one clock.
  await silent.clock.runFor(40_000);
  await silent.clock.runFor(6_000);
  for (const page of others) await hears(page, id);
  const next = await newItem(own.url, token);
  for (const page of tabs) await hearsEachOnce(page, [id, next.id]);
  await until(() => open() === 1, 'one stream is open');
});

it('Ten tabs share one stream of events, and each hears every event once over kill -9 and the end of a tab', async (t) => {
  const settings = await (await sameDatabase(t, sqlite)).settings(t);
  let program = await startProcess(t, settings);
  const site = await startClientSite(t, program.url);
  const { username, token } = await newAccount(program.url);
  const open = openStreams(site);
  const context = await newContext(t);
  const tabs: Page[] = [];
  for (let count = 0; count < 10; count++) {
    const page = await tab(context, site.url, 'storedTokens');
    if (count === 0) assert.ok(await signIn(page, username));
    await listenFromTheStart(page);
    tabs.push(page);
  }
  const made: number[] = [];
  const make = async () => made.push((await newItem(program.url, token)).id);
  const everyTab = async () => {
    for (const page of tabs) await hearsEachOnce(page, made);
  };
  await make();
  await everyTab();
  // A stream that was begun again may overlap with the one before it for a moment.
  await until(() => open() === 1, 'one stream is open');
  const streams = () => site.asked.filter((each) => each === 'GET /api/events').length;
  // Each tab that came later may have asked the first one to begin again.
  const begun = streams();
  await make();
  await program.stop('SIGKILL');
  program = await startProcess(t, settings);
  site.moveTo(program.url);
  await make();
  await everyTab();
  assert.ok(streams() > begun);
  await tabs.shift()?.close();
  await make();
  await everyTab();
  await until(() => open() === 1, 'one stream is open');
  assert.equal(await program.stop('SIGTERM'), 0);
});
