// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { call, newAccount } from '../support/client.ts';
import { brokenRules, consolePages, picture } from '../support/console/pages.ts';

const pages = consolePages(async () => ({ SMTP_URL: 'log' }));

async function newAdmin() {
  const { url, store } = pages.service();
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role: 'admin', now: Date.now() });
  return account;
}

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };

it('No view of strangers, people and the own account breaks WCAG 2.2 AA or its policy, in any theme or width', async () => {
  const { url } = pages.service();
  const admin = await newAdmin();
  const person = await newAccount(url, 'grace.hopper');
  await newAccount(url, 'alan.turing');
  const invitation = { email: 'katherine@example.org', role: 'editor' };
  await call(url, 'POST', '/api/invitations', { token: admin.token, body: invitation });
  const token = { name: 'Build server', scope: 'read', expires_in_days: 90 };
  await call(url, 'POST', '/api/auth/tokens', { token: admin.token, body: token });
  const inside = ['people', `people/${person.id}`, 'people/invitations', 'people/999999', 'nowhere/at-all'];
  const own = [
    'account',
    ...['security', 'sessions', 'tokens', 'events', 'data'].map((name) => `account/${name}`),
  ];
  const views = [
    { account: undefined, paths: ['', 'forgotten', 'register', '#setup=stoa_su_nothing'] },
    { account: admin, paths: [...inside, ...own] },
  ];
  for (const colorScheme of ['light', 'dark'] as const)
    for (const { account, paths } of views) {
      const page = await pages.open(account, '/forgotten', { colorScheme, viewport: WIDE });
      for (const path of paths) {
        await page.goto('about:blank');
        await page.goto(`${pages.url()}/console/${path}`);
        await page.locator('h1').waitFor();
        await page.waitForLoadState('networkidle');
        for (const viewport of [WIDE, NARROW]) {
          await page.setViewportSize(viewport);
          const name = `${path.replaceAll(/\W+/g, '-') || 'sign-in'}-${colorScheme}-${viewport.width}`;
          await picture(page, name);
          assert.deepEqual(await brokenRules(page), [], name);
        }
        await page.setViewportSize({ width: 320, height: 640 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 320, `${path} is ${wide} pixels wide.`);
        assert.doesNotMatch(
          await page.locator('body').innerText(),
          /\b[a-z]+(_[a-z]+)*\.[a-z_]+\b(?<!example\.org|hopper|turing)/,
          path,
        );
      }
    }
});
