// Needs: a browser.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { newAccount } from '../support/client.ts';
import { installClock } from '../support/console/contexts.ts';
import { assertAccessible } from '../support/console/looks.ts';
import { consolePages, picture } from '../support/console/pages.ts';
import { temporaryFolder } from '../support/engines.ts';
import { until } from '../support/until.ts';

const pages = consolePages(async (t) => ({
  SMTP_URL: 'log',
  BACKUP_DIR: join(await temporaryFolder(t as never), 'backups'),
}));

async function newAdmin() {
  const { url, store } = pages.service();
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role: 'admin', now: Date.now() });
  return account;
}

it('An admin asks for a backup on the system page and sees that it was proved', async () => {
  const page = await pages.open(await newAdmin(), '/system');
  await page.getByText('There is no backup file yet.').waitFor();
  await page.getByRole('button', { name: 'Back up now' }).click();
  // The page looks again by itself, so nobody has to reload it.
  await page.getByRole('cell', { name: 'Proved', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Back up now' }).waitFor();
});

it('The system page shows each worker with its restarts, and which of them starts or does not answer', async () => {
  const page = await pages.open(await newAdmin(), '/system');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Workers' }) });
  const workers = section.getByRole('row');
  await section.getByText('The one process').click();
  await workers.nth(1).waitFor();
  assert.equal(await workers.count(), 2);
  await pretend(page);
  await page.reload();
  await workers.nth(3).waitFor();
  const cells = await Promise.all([1, 2, 3].map((at) => workers.nth(at).locator('th, td').allInnerTexts()));
  assert.deepEqual(cells, [
    ['1', '0', '98 MB', 'now'],
    ['2 Starting', '12', '', ''],
    ['3 No answer', '1', '', 'now'],
  ]);
});

it('The system page shows an answer that is slow, and asks again only after it', async () => {
  const page = await pages.openEmpty(await newAdmin());
  await installClock(page);
  const { promise: isReady, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  await page.route('**/api/system', async (route) => {
    asked++;
    await isReady;
    await route.continue();
  });
  await page.goto(`${pages.url()}/console/system`);
  await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
  await until(() => asked === 1, 'the page has asked');
  await page.clock.runFor(12_000);
  await page.clock.runFor(12_000);
  assert.equal(asked, 1);
  resolve();
  await page.getByText('Node.js').waitFor();
  await page.clock.runFor(12_000);
  await until(() => asked > 1, 'the page has asked again');
});

/** What a service says that has run for a while and has troubles. The other members stay as they are. */
async function pretend(page: Page): Promise<void> {
  const points = (of: (at: number) => number) => Array.from({ length: 90 }, (_, at) => Math.round(of(at)));
  const wave = (at: number) => 1 + Math.sin(at / 9);
  await page.route('**/api/system', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const { data } = answer;
    data.rates = {
      step_seconds: 10,
      requests: points((at) => 40 * wave(at) + (at % 7)),
      server_errors: points((at) => (at === 60 ? 3 : 0)),
      passwords: points((at) => 2 * wave(at)),
      busy_percent: points((at) => 12 * wave(at) + (at % 5)),
      memory_bytes: points((at) => 9e7 + 4e5 * at),
    };
    const [last] = data.jobs.slice(-1);
    Object.assign(last, { failing: true, failures: 4 });
    data.checks.push({
      check: 'jobs',
      state: 'wrong',
      says: `The last run of ${last.name} failed; see the log.`,
    });
    const failed = {
      failed_at: new Date().toISOString(),
      problem: 'ENOSPC: no space left, open BACKUP_DIR/a',
    };
    const started_at = new Date().toISOString();
    data.workers = [
      { number: 1, serving: true, restarts: 0, started_at, memory_bytes: 9.8e7 },
      { number: 2, serving: false, restarts: 12 },
      { number: 3, serving: true, restarts: 1, started_at },
    ];
    Object.assign(data.backups, failed, { every_seconds: 86_400, next_at: new Date(0).toISOString() });
    await route.fulfill({ response, json: answer });
  });
}

it('The system page breaks neither WCAG 2.2 AA nor its policy in any theme, width or language', async () => {
  const admin = await newAdmin();
  const seen = await pages.openEmpty(admin);
  await pretend(seen);
  await seen.goto(`${pages.url()}/console/system`);
  await seen.getByText('1 problem', { exact: true }).waitFor();
  for (const summary of ['The figures as a table', /^All \d+ settings$/])
    await seen.getByText(summary).click();
  assert.equal(await seen.getByRole('row').filter({ hasText: '%' }).count(), 15);
  assert.ok((await seen.locator('dl svg path').count()) > 10);
  await assertAccessible(seen, 'system');
  for (const language of ['de', 'pseudo']) {
    const page = await pages.open(admin, '/system');
    await page.evaluate((name) => localStorage.setItem('stoa.language', name), language);
    await page.reload();
    await page.locator('dl svg').first().waitFor();
    await picture(page, `system-${language}`);
    const shown = await page.locator('body').innerText();
    assert.doesNotMatch(shown, /\b(?:system|rates|workers|backups|jobs|settings|finding|check)\.[a-z_]+\b/);
  }
});

it('An account that is no admin is told that the system page is for admins, and asks the service nothing', async () => {
  const page = await pages.openEmpty(await newAccount(pages.service().url));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${pages.url()}/console/system`);
  await page.getByRole('heading', { name: 'This page is for admins' }).waitFor();
  assert.ok(!asked.includes('/api/system'));
  assert.equal(await page.getByRole('link', { name: 'System' }).count(), 0);
});
