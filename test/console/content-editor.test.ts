// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { consolePages, picture, signIn } from '../support/console/pages.ts';

const pages = consolePages();

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text in Markdown' });
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

async function stored(id: number, token: string, part = '') {
  const { body } = await call(pages.service().url, 'GET', `/api/content/${id}${part}`, { token });
  return body.data;
}

it('An item is written, saved and published with the keyboard only', async () => {
  const account = await newAccount(pages.service().url);
  const { page, problems } = await pages.open(account, '/content/new');
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await page.keyboard.type('By hand');
  await page.keyboard.press('Tab');
  await page.keyboard.type('# Begin\nSome text.');
  await page.keyboard.press('Control+s');
  await saved(page);
  await page.waitForURL(/content\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  assert.equal((await stored(id, account.token)).status, 'draft');
  await page.getByRole('button', { name: 'Publish' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Published', { exact: true }).waitFor();
  const item = await stored(id, account.token);
  assert.deepEqual([item.status, item.title, item.content], ['published', 'By hand', '# Begin\nSome text.']);
  assert.deepEqual(problems, []);
});

it('Publishing a new item without a title says what it lacks, and an item that is not there leads back', async () => {
  const { page, problems } = await pages.open(await newAccount(pages.service().url), '/content/new');
  await editor(page).waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alert').filter({ hasText: /title/i }).waitFor();
  await page.goto(`${pages.url()}/console/content/999999`);
  await page.getByRole('heading', { name: 'Edit content' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Content' }).click();
  await page.getByRole('heading', { name: 'Content', exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

it('What is written over a published item is a draft beside it until it is published', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'As published.' });
  const { page } = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' And more.');
  await page.keyboard.press('Control+s');
  await page.getByText('Unpublished changes').waitFor();
  assert.equal((await stored(id, account.token)).content, 'As published.');
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
  assert.equal((await stored(id, account.token)).content, 'As published. And more.');
});

it('A save that comes after another one shows both versions, and the chosen one is stored', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'One.\n', status: 'draft' });
  const { page, problems } = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Mine.');
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'One.\nTheirs.' } });
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  await dialog.getByText('Theirs.').waitFor();
  await dialog.getByText('Mine.').waitFor();
  assert.equal((await stored(id, account.token)).content, 'One.\nTheirs.');
  await picture(page, 'content-stale');
  await dialog.getByRole('button', { name: 'Save the right side' }).click();
  await saved(page);
  assert.equal((await stored(id, account.token)).content, 'One.\nMine.');
  assert.deepEqual(problems, []);
});

it('A session that ended while writing is begun again in place, and the text is saved', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'Text.', status: 'draft' });
  const { page } = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Kept.');
  await call(url, 'DELETE', '/api/auth/sessions', { token: account.token });
  pages.service().passTime(2_000);
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  assert.equal(await dialog.getByLabel('User name or e-mail').inputValue(), account.username);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await saved(page);
  assert.equal((await stored(id, account.token)).content, 'Text. Kept.');
});

it('A text that was not saved before a crash is offered to its account, and to no other', async () => {
  const { url } = pages.service();
  const [account, other] = [await newAccount(url), await newAccount(url)];
  await pages.service().store.write(setRole, { account: other.username, role: 'editor', now: Date.now() });
  const { id } = await newItem(url, account.token, { content: 'Text.' });
  const { page } = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Lost?');
  const isKept = () => Object.keys(localStorage).some((key) => key.startsWith('stoa.unsaved.'));
  await page.waitForFunction(isKept);
  const context = page.context();
  // A page that closes this way is asked nothing, as in a crash.
  await page.close({ runBeforeUnload: false });
  const as = async ({ username }: typeof account) => {
    const again = await context.newPage();
    await signIn(again, pages.url(), username);
    await again.goto(`${pages.url()}/console/content/${id}`);
    await editor(again).waitFor();
    return again;
  };
  const strange = await as(other);
  assert.equal(await strange.getByText('that was not saved').count(), 0);
  const own = await as(account);
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Text. Lost?').waitFor();
  await own.keyboard.press('Control+s');
  await own.getByText('Unpublished changes').waitFor();
  assert.equal((await stored(id, account.token, '/draft')).content, 'Text. Lost?');
  await own.waitForFunction(() => !Object.keys(localStorage).some((key) => key.startsWith('stoa.unsaved.')));
});

it('A new item whose answer is lost is saved once when the connection is back', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { page } = await pages.open(account, '/content/new');
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Only once');
  let isOnline = false;
  await page.route('**/api/content', async (route) => {
    if (route.request().method() !== 'POST' || isOnline) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.keyboard.press('Control+s');
  await page.getByText('It is saved when you are back').waitFor();
  isOnline = true;
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await saved(page);
  const { body } = await call(url, 'GET', `/api/content?status=draft&author=${account.id}`, {
    token: account.token,
  });
  assert.equal(body.data.total, 1);
});

it('Leaving asks only while something is unsaved', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'Text.', status: 'draft' });
  const { page } = await pages.open(account, `/content/${id}`);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await editor(page).click();
  await page.keyboard.type('More. ');
  await page.locator('.content-back').click();
  await page.waitForTimeout(0);
  assert.match(page.url(), new RegExp(`content/${id}$`));
  assert.deepEqual(asked, ['confirm']);
  await page.keyboard.press('Control+s');
  await saved(page);
  await page.locator('.content-back').click();
  await page.getByRole('heading', { name: 'Content', exact: true }).waitFor();
  assert.deepEqual(asked, ['confirm']);
});

it('A draft is scheduled, an item is withdrawn, and both are told', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const { page } = await pages.open(account, `/content/${id}`);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name }).click();
  };
  await choose('Withdraw …');
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('Draft', { exact: true }).waitFor();
  await choose('Publish later …');
  await page.getByLabel('Date and time').fill('2099-01-02T03:04');
  await page.getByRole('button', { name: 'Publish then' }).click();
  await page.getByText('Will be published').waitFor();
  await saved(page);
  const item = await stored(id, account.token);
  assert.equal(item.status, 'draft');
  assert.match(item.publish_at, /^2099-01-0[123]T/);
});
