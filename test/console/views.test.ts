// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { call, newAccount } from '../support/client.ts';
import { assertAccessible, showView } from '../support/console/looks.ts';
import { consolePages } from '../support/console/pages.ts';

const pages = consolePages(async () => ({ SMTP_URL: 'log' }));

async function newAdmin() {
  const { url, store } = pages.service();
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role: 'admin', now: Date.now() });
  return account;
}

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
  const stranger = await pages.open(undefined, '/forgotten');
  for (const path of ['', 'forgotten', 'register']) await look(stranger, path);
  await stranger.goto('about:blank');
  await stranger.goto(`${pages.url()}/console/#setup=stoa_su_nothing`);
  await stranger.getByText('This link cannot be used').waitFor();
  await assertLook(stranger, 'setup');
  const page = await pages.open(admin, '/account');
  await page.locator('.areas').waitFor();
  for (const path of [...inside, ...own]) await look(page, path);
});

async function look(page: Page, path: string): Promise<void> {
  await showView(page, `/${path}`);
  await assertLook(page, path || 'sign-in');
}

async function assertLook(page: Page, name: string): Promise<void> {
  await assertAccessible(page, name);
  // A text that nobody has translated shows its key.
  assert.doesNotMatch(
    await page.locator('body').innerText(),
    /\b[a-z]+(_[a-z]+)*\.[a-z_]+\b(?<!example\.org|hopper|turing)/,
    name,
  );
}
