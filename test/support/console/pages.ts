import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from '../browser.ts';
import { type Account, PASSWORD } from '../client.ts';
import { type Lifetime, sqlite } from '../engines.ts';
import { type RunningService, startService } from '../service.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of the console, and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Violations of the policy of the page, and errors of its scripts. */
  readonly problems: readonly string[];
}

interface Console {
  readonly service: () => RunningService;
  /** As the browser has it: at an IP address there are no passkeys. */
  readonly url: () => string;
  /** Opens a view in a browser context of its own, signed in to the account if there is one. */
  open(
    account: Pick<Account, 'username'> | undefined,
    path: string,
    options?: BrowserContextOptions,
  ): Promise<Opened>;
}

/** One browser and one service, which all tests of a file share. */
export function consolePages(
  settings: (t: Lifetime) => Promise<Record<string, string>> = async () => ({}),
): Console {
  let [service, browser]: [RunningService?, Browser?] = [];
  const atTheEnd: (() => unknown)[] = [];
  const lifetime = {
    after: (work: () => unknown) => {
      atTheEnd.unshift(work);
    },
  } as Lifetime;
  before(async () => {
    service = await startService(lifetime, sqlite, await settings(lifetime));
    browser = await startBrowser(lifetime as never);
  });
  after(async () => {
    for (const work of atTheEnd) await work();
  });
  const url = () => (service as RunningService).url.replace('127.0.0.1', 'localhost');
  return {
    service: () => service as RunningService,
    url,
    async open(account, path, options = {}) {
      const context = await (browser as Browser).newContext({ locale: 'en-GB', ...options });
      const problems: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      if (account) await signIn(page, url(), account.username);
      await page.goto(`${url()}/console${path}`);
      return { page, problems };
    },
  };
}

/** Begins a session of the browser without a form: a page of the service may ask it. */
export async function signIn(page: Page, url: string, username: string, password = PASSWORD): Promise<void> {
  await page.goto(`${url}/reset-password`);
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
  await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const { violations } = await Reflect.get(globalThis, 'axe').run(document, {
      runOnly: only === undefined ? ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] : [only],
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
