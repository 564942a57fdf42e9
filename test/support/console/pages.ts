import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from '../browser.ts';
import { type Account, PASSWORD } from '../client.ts';
import { type Lifetime, sqlite } from '../engines.ts';
import { type RunningService, startService } from '../service.ts';
import { lendContexts } from './contexts.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The names under which a browser of the tests reaches the service. */
const HOSTS = ['localhost', '127.0.0.1', 'stoa.test'];

/**
 * Every other name or address is unknown, so a request to elsewhere fails. To hear of each request that fails costs
 * nothing, and to hear of each one that is sent costs a tenth of a page.
 */
const NOWHERE_ELSE = `--host-resolver-rules=MAP stoa.test 127.0.0.1, EXCLUDE localhost, EXCLUDE 127.0.0.1, MAP * ~NOTFOUND`;

/**
 * All pages of a context are one process, which compiles the console once: a third of the work of a page. Contexts never
 * share a process. No other one starts for a page to come.
 */
const ONE_PROCESS = ['--process-per-site', '--renderer-process-limit=1'];

/** An answer of the service that asks for two minutes of patience. */
export const TOO_MANY = {
  status: 429,
  headers: { 'retry-after': '120' },
  json: { code: 429, message: 'Too many; try again later.', data: { error: 'too_many_requests', index: 0 } },
};

interface Console {
  readonly service: () => RunningService;
  /** As the browser has it: at an IP address there are no passkeys. */
  readonly url: () => string;
  /** Opens a view in a browser context of its own, signed in to the account if there is one. */
  open(
    account: Pick<Account, 'username'> | undefined,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<Page>;
  /** As `open`, but the page is still empty, for a test that meddles with requests before the first of them. */
  openEmpty(account: Pick<Account, 'username'> | undefined, options?: BrowserContextOptions): Promise<Page>;
  /** Opens a view in another page of the same browser, where the account signs in. */
  openBeside(page: Page, account: Pick<Account, 'username'>, path: string): Promise<Page>;
}

/**
 * One browser and one service, which all tests of a file share. Each test ends with a look at what went wrong in its
 * pages: violations of their policy, errors of their scripts and requests to elsewhere. Its pages end with it.
 */
export function consolePages(
  settings: (t: Lifetime) => Promise<Record<string, string>> = async () => ({}),
  flags: readonly string[] = ONE_PROCESS,
): Console {
  let [service, browser]: [RunningService?, Browser?] = [];
  const problems: string[] = [];
  const atTheEnd: (() => unknown)[] = [];
  const lifetime = {
    after: (work: () => unknown) => {
      atTheEnd.unshift(work);
    },
  } as Lifetime;
  const url = () => (service as RunningService).url.replace('127.0.0.1', 'localhost');
  const contexts = lendContexts(
    () => browser as Browser,
    () => pageOfService(url()),
    (context) => watch(context, problems),
  );
  before(async () => {
    service = await startService(lifetime, sqlite, await settings(lifetime));
    browser = await startBrowser(lifetime, [NOWHERE_ELSE, ...flags]);
  });
  after(async () => {
    for (const work of atTheEnd) await work();
  });
  afterEach(async () => {
    await contexts.takeBack();
    assert.deepEqual(problems.splice(0), []);
  });
  const openEmpty: Console['openEmpty'] = async (account, options = {}) => {
    const { desk, door } = await contexts.take(options);
    if (account) await beginSession(door, account.username, PASSWORD);
    return desk;
  };
  const show = async (page: Page, path: string) => {
    await page.goto(`${url()}/console${path}`);
    return page;
  };
  return {
    service: () => service as RunningService,
    url,
    open: async (account, path, options) => show(await openEmpty(account, options), path),
    openEmpty,
    openBeside: async (page, account, path) => {
      await beginSession(contexts.of(page).door, account.username, PASSWORD);
      return show(await page.context().newPage(), path);
    },
  };
}

/** Notes what goes wrong in the pages of a context. */
function watch(context: BrowserContext, problems: string[]): void {
  context.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('requestfailed', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && !HOSTS.includes(hostname)) problems.push(request.url());
  });
}

/** A small page that may ask the service. */
const pageOfService = (url: string) => `${url}/reset-password`;

/** Begins a session of the browser without a form. */
export async function signIn(page: Page, url: string, username: string, password = PASSWORD): Promise<void> {
  await page.goto(pageOfService(url));
  await beginSession(page, username, password);
}

async function beginSession(page: Page, username: string, password: string): Promise<void> {
  const status = await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch('api/auth/login', { method: 'POST', headers, body: JSON.stringify(body) });
      // As the console does it: without this it asks for no session.
      localStorage.setItem('stoa.session', '1');
      return answer.status;
    },
    { username, password, refresh_token_in: 'cookie' },
  );
  assert.equal(status, 200);
}

/** Where the page breaks WCAG 2.2 AA, as axe sees it, or only one of its rules. */
export async function brokenRules(page: Page, only?: string): Promise<string[]> {
  // Two widths of one page need it once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async (only) => {
    // A colour on its way to another one is neither of both.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    const { violations } = await Reflect.get(globalThis, 'axe').run(document, {
      runOnly: only === undefined ? ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] : [only],
      // It describes no element that passed.
      resultTypes: ['violations'],
      // It reads no style sheet again: no rule of these asks for one.
      preload: { assets: ['media'] },
    });
    return violations.map(
      ({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
        `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
    );
  }, only);
}

/** A picture for people who look at what they changed, where STOA_SHOTS names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.STOA_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/**
 * Returns once no dialog is there. One that was just closed has no role any more, but is there until its view knows.
 */
export const noDialog = (page: Page) => page.locator('dialog').waitFor({ state: 'detached' });

/** Presses Tab, or Shift and Tab, until the element with this text or name has the focus. */
export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      const element = activeElement?.shadowRoot?.activeElement ?? activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
    });
  for (let step = 0; step < 60 && (await focused()) !== name; step++) await page.keyboard.press(key);
  assert.equal(await focused(), name);
}
