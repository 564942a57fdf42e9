// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { assertAccessible, showView } from '../support/console/looks.ts';
import { brokenRules, consolePages, picture, signIn } from '../support/console/pages.ts';
import { VIEWS } from '../support/console/views.ts';
import { newWithRole } from '../support/people.ts';

const pages = consolePages();
const FORBIDDEN = 'This page is for admins';

/** One address of each view, with the ids of things that are there. */
async function addresses() {
  const admin = await newWithRole(pages.service(), 'admin');
  const { url } = pages.service();
  const { id: item } = await newItem(url, admin.token, { title: 'Of the admin', tags: ['first'] });
  const tags = ['t'.repeat(64), ...[1, 2, 3, 4, 5].map((number) => `a tag of many letters ${number}`)];
  await call(url, 'PUT', `/api/content/${item}`, { token: admin.token, body: { tags } });
  const body = { url: 'https://site.example/', events: ['*'] };
  const webhook = (await call(url, 'POST', '/api/webhooks', { token: admin.token, body })).body.data.id;
  const ids: Record<string, number> = { content: item, people: admin.id, webhooks: webhook };
  return {
    admin,
    item,
    views: VIEWS.map(({ path, needs }) => ({
      needs,
      address: path.replace(':id', String(ids[path.split('/')[1] ?? ''])),
    })),
  };
}

/** The requests of a page that the service refused. */
function refusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    // The versions of an item are for those who may change it: no link leads there, and the address says so.
    const isExpected = /\/versions\?/.test(response.url());
    if ((response.status() === 401 || response.status() === 403) && !isExpected)
      refused.push(`${response.status()} ${response.url()}`);
  });
  return refused;
}

/** The heading of the view, when it is there with all that it asked for. */
async function headingOf(page: Page): Promise<string> {
  const heading = page.locator('main').locator('h1, .content-title').first();
  await heading.waitFor();
  await page.waitForLoadState('networkidle');
  return (await heading.textContent()) ?? '';
}

it('The address of each view shows it to those who may see it, and says to others whose it is, without a refused request or a broken rule of WCAG 2.2 AA', async () => {
  const { admin, views } = await addresses();
  assert.ok(views.length > 15 && views.some(({ needs }) => needs === 'member'), String(views.length));
  const accounts = {
    admin,
    editor: await newWithRole(pages.service(), 'editor'),
    member: await newAccount(pages.service().url),
  };
  const page = await pages.openEmpty(undefined);
  const refused = refusals(page);
  for (const [role, account] of Object.entries(accounts)) {
    await signIn(page, pages.url(), account.username);
    await page.goto(`${pages.url()}/console/content`);
    await page.locator('.areas').waitFor();
    let wasForbidden = false;
    for (const { address, needs } of views) {
      await showView(page, address);
      const isForbidden = needs === 'admin' && role !== 'admin';
      assert.equal((await headingOf(page)) === FORBIDDEN, isForbidden, `${address} for ${role}`);
      // The tests of each area look at all that an admin sees, and a view that is forbidden is one like the other.
      const isLookedAt = role !== 'admin' && !(isForbidden && wasForbidden);
      if (isLookedAt) assert.deepEqual(await brokenRules(page), [], `${address} for ${role}`);
      if (!isForbidden) continue;
      wasForbidden = true;
      await page.getByText(`You are signed in as ${account.username}, who may not see it.`).waitFor();
    }
    const areas = await page.locator('.areas a').allInnerTexts();
    assert.deepEqual(
      areas,
      role === 'admin' ? ['Content', 'People', 'System', 'Webhooks', 'Audit trail'] : ['Content'],
      role,
    );
    assert.deepEqual(refused.splice(0), [], role);
  }
});

it('No view is wider than a window of 1280 by 1024 pixels at 400 %, from left to right and from right to left, and each text is translated', async () => {
  const { admin, views } = await addresses();
  const written = ['Of the admin', 'A title'];
  const { url } = pages.service();
  const body = { email: `${'a'.repeat(39)}@example.org` };
  const changed = await call(url, 'PUT', `/api/users/${admin.id}`, { token: admin.token, body });
  assert.equal(changed.body.data.email, body.email, JSON.stringify(changed.body));
  const page = await pages.open(admin, '/content', { viewport: { width: 320, height: 256 } });
  for (const language of ['en', 'pseudo']) {
    await page.evaluate((name) => localStorage.setItem('stoa.language', name), language);
    await page.reload();
    await page.locator('main h1').first().waitFor();
    for (const { address } of views) {
      await showView(page, address.replace(/versions$/, 'versions?version=2'));
      await picture(page, `narrow-${language}${address.replaceAll(/\W/g, '-')}`);
      const { wide, direction, plain } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        direction: document.documentElement.dir,
        plain: [...document.querySelectorAll('h1, h2, thead th, label, button, legend, summary')]
          .map((element) => element.textContent ?? '')
          .filter((text) => /^[A-Z][a-z ]{4,}$/.test(text)),
      }));
      assert.ok(wide <= 320, `${address} is ${wide} pixels wide.`);
      assert.equal(direction, language === 'pseudo' ? 'rtl' : 'ltr');
      const left = plain.filter((text) => !written.includes(text));
      if (language === 'pseudo') assert.deepEqual(left, [], address);
    }
  }
});

it('A stranger who follows an address of any area signs in and is there', async () => {
  const { admin, views } = await addresses();
  const page = await pages.open(undefined, '/forgotten');
  // Each costs a password: one of each area is enough.
  const areas = new Map(views.map((view) => [view.address.split('/')[1], view.address]));
  for (const address of areas.values()) {
    await page.context().clearCookies();
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${pages.url()}/console${address}`);
    await page.getByLabel('User name or e-mail').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.areas').waitFor();
    assert.notEqual(await headingOf(page), 'Sign in', address);
    assert.equal(new URL(page.url()).pathname, `/console${address}`);
  }
});

it("Another's item has no control for a member that the service would refuse, and has them for an editor", async () => {
  const { item } = await addresses();
  const shown = { editor: 0, member: 0 };
  for (const role of ['editor', 'member'] as const) {
    const account = await newWithRole(pages.service(), role);
    const page = await pages.open(account, `/content/${item}`);
    await headingOf(page);
    await page.getByText('Some content.').first().waitFor();
    shown[role] = await page.getByRole('button', { name: /^(Save|Publish|Delete|Move to)/ }).count();
    await page.goto(`${pages.url()}/console/content`);
    await headingOf(page);
    await page.getByRole('link', { name: 'Of the admin' }).first().waitFor();
    const chosen = page.getByRole('checkbox', { name: /Of the admin/ });
    assert.equal((await chosen.count()) > 0, role === 'editor', role);
  }
  assert.equal(shown.member, 0);
  assert.ok(shown.editor > 0);
});

it("Another's item is read as it was written down, in any theme and width, and breaks no rule of WCAG 2.2 AA", async () => {
  const { url } = pages.service();
  const author = await newAccount(url);
  const { id } = await newItem(url, author.token, {
    title: 'How the harbour works',
    content: '# Ships\n\nThey *come* at noon.\n\n- one\n- two',
    category: 'Sea',
    tags: ['ships', 'noon'],
  });
  const reader = await newAccount(url);
  const page = await pages.open(reader, `/content/${id}`);
  await page.getByRole('heading', { name: 'Ships' }).waitFor();
  assert.equal(await page.locator('article em').innerText(), 'come');
  await assertAccessible(page, 'reading');
});
