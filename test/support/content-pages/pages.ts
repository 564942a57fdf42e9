import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startBrowser } from '../browser.ts';
import type { Account } from '../client.ts';
import { type Lifetime, sqlite } from '../engines.ts';
import { type RunningService, startService } from '../service.ts';
import { startSite } from './site.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of the console, and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Violations of the policy of the page, and errors of its scripts. */
  readonly problems: readonly string[];
}

/** One browser, one service and one site, which all tests of a file share. */
export function contentPages(): {
  readonly service: () => RunningService;
  readonly url: () => string;
  open(account: Account, path: string, options?: BrowserContextOptions): Promise<Opened>;
} {
  let [service, browser, url]: [RunningService?, Browser?, string?] = [];
  const atTheEnd: (() => unknown)[] = [];
  const lifetime = {
    after: (work: () => unknown) => {
      atTheEnd.unshift(work);
    },
  } as Lifetime;
  before(async () => {
    service = await startService(lifetime, sqlite);
    browser = await startBrowser(lifetime as never);
    url = await startSite(lifetime, service.url);
  });
  after(async () => {
    for (const work of atTheEnd) await work();
  });
  return {
    service: () => service as RunningService,
    url: () => url as string,
    async open(account, path, options = {}) {
      const context = await (browser as Browser).newContext({ locale: 'en-GB', ...options });
      const problems: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.addInitScript(
        ({ account, token }) => {
          if (sessionStorage.getItem('token') !== null) return;
          sessionStorage.setItem('account', account);
          sessionStorage.setItem('token', token);
        },
        { account: JSON.stringify({ id: account.id, username: account.username }), token: account.token },
      );
      await page.goto(`${url}/console${path}`);
      return { page, problems };
    },
  };
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
