// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { editor } from '../support/console/editor.ts';
import { assertAccessible, showView } from '../support/console/looks.ts';
import { consolePages, picture, TOO_MANY } from '../support/console/pages.ts';
import { until } from '../support/until.ts';

const pages = consolePages();
const withoutTrash = consolePages(async () => ({ TRASH_DAYS: '0', DELETION_DAYS: '0' }));

async function newEditor() {
  const { url, store } = pages.service();
  const account = await newAccount(url);
  await store.write(setRole, { account: account.username, role: 'editor', now: Date.now() });
  return account;
}

it('The address holds the view of the list, Back restores it, and matches are marked', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  await newItem(url, account.token, {
    title: 'Zebras',
    content: 'The quagga was a zebra.',
    tags: ['stripes'],
  });
  await newItem(url, account.token, { title: 'Horses', content: 'No zebra at all.' });
  // The page asks once, and a search waits for its index for a second only.
  await until(async () => {
    const { body } = await call(url, 'GET', '/api/content?keyword=quagga', { token: account.token });
    return body.data.total === 1;
  }, 'the search knows the item');
  const page = await pages.open(account, '/content?keyword=quagga');
  await page.locator('mark', { hasText: 'quagga' }).waitFor();
  assert.equal(await page.locator('.content-row').count(), 1);
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.getByRole('link', { name: 'Horses' }).waitFor();
  await page.getByLabel('Tag', { exact: true }).fill('stripes');
  await page.getByRole('link', { name: 'Horses' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /tag=stripes/);
  await page.goBack();
  await page.getByRole('link', { name: 'Horses' }).waitFor();
  await page.goBack();
  await page.locator('mark', { hasText: 'quagga' }).waitFor();
});

/** The query of the address of a page. */
const queryOf = (page: Page) => new URL(page.url()).search;

it('Drafts are filtered by labels and language, and clicks in a row and the link back lead to drafts again', async () => {
  const { url } = pages.service();
  const { id, token, ...account } = await newAccount(url);
  const draft = { status: 'draft', category: 'guides', content: 'مرحبا' };
  await newItem(url, token, { ...draft, title: 'German', language: 'de', tags: ['walks'] });
  await newItem(url, token, { ...draft, title: 'Plain' });
  await newItem(url, token, { title: 'Other', status: 'draft' });
  await newItem(url, token, { title: 'Published', category: 'guides' });
  const page = await pages.open(account, '/content?tag=none-has-it');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByLabel('Tag', { exact: true }).fill('');
  await page.getByRole('link', { name: 'Published' }).waitFor();
  await page.getByLabel('Status').selectOption('Drafts');
  await page.getByText('3 items').waitFor();
  // A word that is typed with pauses is one step of Back.
  await page.getByLabel('Category', { exact: true }).pressSequentially('guides', { delay: 300 });
  await page.getByText('2 items').waitFor();
  await page.goBack();
  await page.getByText('3 items').waitFor();
  assert.equal(queryOf(page), '?status=draft');
  const first = (title: string) => page.locator('.content-list li:first-child', { hasText: title }).waitFor();
  await first('Other');
  await page.getByLabel('Order').selectOption('Title');
  await first('German');
  await page.goBack();
  await page.goForward();
  const language = page.getByLabel('Language', { exact: true });
  await language.fill('d');
  await language.press('Enter');
  await page.getByText('This is no language tag.').waitFor();
  await language.fill('DE');
  await language.press('Enter');
  await page.getByText('1 item', { exact: true }).waitFor();
  await page.locator('h2 a[lang=de]', { hasText: 'German' }).waitFor();
  const direction = await page
    .locator('.content-snippet')
    .evaluate((shown) => getComputedStyle(shown).direction);
  assert.equal(direction, 'rtl');
  const narrowed = queryOf(page);
  await page.getByRole('link', { name: 'German' }).click();
  await editor(page).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Content' }).click();
  await page.getByText('1 item', { exact: true }).waitFor();
  assert.equal(queryOf(page), narrowed);
  for (const [name, led, count] of [
    ['walks', 'tag=walks', '1 item'],
    ['guides', 'category=guides', '2 items'],
    [account.username, `author=${id}`, '3 items'],
  ] as const) {
    await page.getByRole('listitem').getByRole('button', { name, exact: true }).first().click();
    await page.getByText(count, { exact: true }).waitFor();
    assert.equal(queryOf(page), `?status=draft&${led}`);
  }
});

it('Published items with a draft beside them are a list of their own, which says so, and opens the drafts', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const page = await pages.open(account, '/content?status=draft');
  await page.getByText('There are no drafts.').waitFor();
  await page.getByLabel('Status').selectOption('With unpublished changes');
  await page.getByText('No published item has unpublished changes.').waitFor();
  const { id } = await newItem(url, token, { title: 'Changed', tags: ['kept-filter'] });
  await call(url, 'PUT', `/api/content/${id}/draft`, { token, body: { content: 'Of the draft.' } });
  await page.getByLabel('Tag', { exact: true }).fill('kept-filter');
  const row = page.locator('.content-row', { hasText: 'Changed' });
  await row.getByText('Unpublished changes').waitFor();
  await page.getByLabel('Status').selectOption('Published');
  await row.getByText('Unpublished changes').waitFor({ state: 'detached' });
  assert.equal(queryOf(page), '?tag=kept-filter');
  await page.goBack();
  await row.getByText('Unpublished changes').waitFor();
  await row.getByRole('link', { name: 'Changed' }).click();
  await page.getByText('Of the draft.').waitFor();
});

it('A bulk action by filter changes each of more drafts than one page of the service has', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const create = { title: 'One of many', content: '', status: 'draft', tags: ['many'] };
  const operations = Array.from({ length: 100 }, () => ({ action: 'create', item: create }));
  await call(url, 'POST', '/api/content/bulk', { token, body: { operations } });
  await newItem(url, token, create);
  await newItem(url, token, { ...create, tags: ['another'] });
  const page = await pages.open(account, '/content?status=draft&tag=many');
  await page.getByLabel('Select page').check();
  await page.getByLabel('All 101 that match').check();
  await page.getByRole('button', { name: 'Show to members only' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change 101 items' }).click();
  await page.getByText('Changed: 101. Refused: 0.').waitFor();
});

it('Back from an item scrolls to where the list was left', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 20; number++)
    await newItem(url, token, { title: `Item ${number}.`, tags: ['scrolled'] });
  const page = await pages.open(account, '/content?tag=scrolled', { viewport: { width: 390, height: 844 } });
  const row = page.getByRole('link', { name: 'Item 2.' });
  await row.scrollIntoViewIfNeeded();
  const left = await page.evaluate(() => scrollY);
  assert.ok(left > 1_000, `${left} pixels`);
  // The rows come a moment later than the view.
  await page.route('**/api/content?*', async (route) => {
    await setTimeout(300);
    return route.continue();
  });
  await row.click();
  await editor(page).waitFor();
  await page.goBack();
  await row.waitFor();
  await page.waitForFunction((left) => Math.abs(scrollY - left) < 5, left);
});

/** An answer that no client asks for again by itself. */
const fails = (route: Route) =>
  route.fulfill({ status: 500, json: { code: 500, message: 'Broken.', data: { error: 'internal' } } });

it('What could not be read is read again by a button, and as soon as the network is back', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { title: 'Read again', tags: ['again'] });
  const page = await pages.openEmpty(account);
  await page.route(new RegExp(`/api/content(/${id}|[?].*)$`), fails, { times: 2 });
  const again = page.getByRole('button', { name: 'Try again' });
  await page.goto(`${pages.url()}/console/content?tag=again`);
  await again.waitFor();
  assert.equal(await page.getByText('Loading …').count(), 0);
  await page.getByRole('alert').waitFor();
  const inAlert = page.getByRole('alert').getByRole('button');
  assert.equal(await inAlert.count(), 0, 'the button would be announced with each attempt');
  await again.click();
  await again.click();
  await page.getByRole('link', { name: 'Read again' }).waitFor();
  await page.context().setOffline(true);
  await page.getByLabel('Order').selectOption('Title');
  await again.waitFor();
  await page.context().setOffline(false);
  await page.getByRole('link', { name: 'Read again' }).waitFor();
  await page.route(new RegExp(`/api/content/${id}$`), fails, { times: 2 });
  await page.getByRole('link', { name: 'Read again' }).click();
  for (const attempt of [1, 2]) {
    const answer = page.waitForResponse(new RegExp(`/api/content/${id}$`));
    await again.press('Enter');
    await answer;
    if (attempt === 1) await again.and(page.locator(':focus:not([aria-disabled="true"])')).waitFor();
  }
  await editor(page).waitFor();
  await page.locator('h1:focus').waitFor();
  await page.route(new RegExp(`/api/content/${id}/versions[/?]`), fails, { times: 2 });
  await page.goto(`${pages.url()}/console/content/${id}/versions?version=1`);
  await again.nth(1).waitFor();
  await again.nth(1).click();
  await again.nth(1).waitFor({ state: 'detached' });
  await again.click();
  await page.getByRole('button', { name: 'Version 1', exact: false }).waitFor();
  // A page beyond the last one that a sorted list has.
  await page.goto(`${pages.url()}/console/content?tag=again&page=600`);
  await page.getByRole('link', { name: 'Read again' }).waitFor();
});

it('A bulk action by filter shows what the service counts, changes those items only and reports refused ones', async () => {
  const { url } = pages.service();
  const [account, other] = [await newAccount(url), await newAccount(url)];
  for (let number = 0; number < 24; number++)
    await newItem(url, account.token, { title: `Item ${number}`, tags: ['bulk'] });
  const strange = await newItem(url, other.token, { title: 'Of another author', tags: ['bulk'] });
  const page = await pages.open(account, '/content?tag=bulk');
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/content/bulk')) sent++;
  });
  await page.getByText('25 items').waitFor();
  await page.getByLabel('Select page').check();
  await page.getByLabel('All 25 that match').check();
  await page.getByRole('button', { name: 'Show to members only' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 25 items?' });
  await picture(page, 'content-bulk');
  await dialog.getByRole('button', { name: 'Change 25 items' }).click();
  await page.getByText('Changed: 24. Refused: 1.').waitFor();
  await page.getByRole('link', { name: `#${strange.id}` }).waitFor();
  const { body } = await call(url, 'GET', '/api/content?tag=bulk&per_page=100', { token: account.token });
  const members = body.data.items.filter(
    ({ visibility }: { visibility: string }) => visibility === 'members',
  );
  assert.deepEqual([members.length, body.data.total], [24, 25]);
  // Each refusal would have cost all writes of its request.
  assert.equal(sent, 1);
});

it('The button of a bulk action keeps the focus while the action is under way', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 2; number++) await newItem(url, token, { tags: ['focus'] });
  const page = await pages.open(account, '/content?tag=focus');
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/content/bulk', async (route) => {
    await answered.promise;
    return route.continue();
  });
  await page.getByLabel('Select page').check();
  await page.getByRole('button', { name: 'Show to members only' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Change 2 items' }).click();
  const focused = page.locator('.bulk button:focus', { hasText: 'Show to members only' });
  await page.locator('.bulk button[aria-disabled=true]').first().waitFor();
  await focused.waitFor();
  await page.keyboard.press('Enter');
  answered.resolve();
  await page.getByText('Changed: 2. Refused: 0.').waitFor();
  await focused.waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});

it('A bulk action changes each item, also where all of them are too large for one request', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 6; number++)
    await newItem(url, token, { content: 'x'.repeat(900_000), tags: ['large'] });
  const page = await pages.open(account, '/content?tag=large');
  await page.getByLabel('Select page').check();
  await page.getByRole('button', { name: 'Show to members only' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change 6 items' }).click();
  await page.getByText('Changed: 6. Refused: 0.').waitFor();
});

it('A bulk action ends where the service takes no more for now, and says when to try again', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 3; number++) await newItem(url, token, { tags: ['patience'] });
  const page = await pages.open(account, '/content?tag=patience');
  let asked = 0;
  await page.route('**/api/content/bulk', (route) => {
    asked++;
    return route.fulfill(TOO_MANY);
  });
  await page.getByLabel('Select page').check();
  await page.getByRole('button', { name: 'Show to members only' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change 3 items' }).click();
  await page.getByText('Too many attempts. Try again in 2 minutes.').waitFor();
  await page.getByText('Changed: 0. Refused: 0.').waitFor();
  assert.equal(asked, 1);
});

it('Where the service keeps no trash, the console says that what is deleted is deleted for good', async () => {
  const { url } = withoutTrash.service();
  const account = await newAccount(url);
  for (let number = 0; number < 3; number++) await newItem(url, account.token, { tags: ['gone'] });
  const page = await withoutTrash.open(account, '/content?tag=gone');
  await page.getByRole('link', { name: 'A title' }).first().click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  const one = page.getByRole('dialog', { name: 'Delete this item for good?' });
  await one.getByText('Nothing brings it back.').waitFor();
  await one.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Content', exact: true }).waitFor();
  await page.goto(`${withoutTrash.url()}/console/content?tag=gone`);
  await page.getByText('2 items').waitFor();
  await page.getByLabel('Select page').check();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  const many = page.getByRole('dialog', { name: 'Delete 2 items for good?' });
  await many.getByText('Nothing brings them back.').waitFor();
  await many.getByRole('button', { name: 'Delete 2 items for good' }).click();
  await page.getByText('Changed: 2. Refused: 0.').waitFor();
  await page.goto(`${withoutTrash.url()}/console/account/data`);
  await page.getByText('nothing brings the account back').waitFor();
  await page.getByRole('button', { name: 'Close my account' }).click();
  await page.getByRole('dialog').getByText('Everything is deleted for good at once.').waitFor();
});

it('A start that cannot read what the service allows says so, and offers no trash that there is not', async () => {
  const { url } = withoutTrash.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const page = await withoutTrash.open(account, `/content/${id}`);
  await page.getByRole('button', { name: 'More actions' }).waitFor();
  const json = { code: 503, message: 'Busy.', data: { error: 'unavailable' } };
  await page.route('**/api/auth/settings', (route) => route.fulfill({ status: 503, json }));
  await page.reload();
  await page.getByRole('heading', { name: 'The console cannot start' }).waitFor();
  await page.getByText('The service cannot do this right now.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
  await page.unroute('**/api/auth/settings');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Delete for good' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Move to trash' }).count(), 0);
});

it('An item in the trash is restored, and another is deleted for good after a question', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const [kept, gone] = [
    await newItem(url, account.token, { title: 'Kept' }),
    await newItem(url, account.token, { title: 'Gone' }),
  ];
  for (const { id } of [kept, gone])
    await call(url, 'DELETE', `/api/content/${id}`, { token: account.token });
  const page = await pages.open(account, '/content/trash');
  const row = (title: string) => page.locator('.content-row', { hasText: title });
  await row('Kept').getByRole('button', { name: 'Restore Kept' }).click();
  await page.getByText('“Kept” is restored.').waitFor();
  await row('Gone').getByRole('button', { name: 'Delete for good Gone' }).click();
  await picture(page, 'content-trash');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('The trash is empty.').waitFor();
  const status = async (id: number) =>
    (await call(url, 'GET', `/api/content/${id}`, { token: account.token })).status;
  assert.deepEqual([await status(kept.id), await status(gone.id)], [200, 404]);
});

/**
 * Deletes what is on the last page, which has one row of 21. Returns where the console led, and what it said was empty.
 */
async function emptied(page: Page, remove: () => Promise<void>) {
  const rows = (count: number) => page.waitForFunction(rowsAre, count);
  await page.getByRole('button', { name: 'Last' }).click();
  await rows(1);
  await page.evaluate(followEmpty);
  await remove();
  await rows(20);
  return [new URL(page.url()).search, await page.evaluate(() => Reflect.get(globalThis, 'empty'))];
}

it('A page of the trash that became empty leads to the last page, and does not say that the trash is empty', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 21; number++) {
    const { id } = await newItem(url, token);
    await call(url, 'DELETE', `/api/content/${id}`, { token });
  }
  const page = await pages.open(account, '/content/trash');
  const led = await emptied(page, async () => {
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
  });
  assert.deepEqual(led, ['?page=1', 0]);
});

it('The button that led to the last page keeps the focus, and leads no further', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 21; number++) await newItem(url, token, { tags: ['last-page'] });
  const page = await pages.open(account, '/content?tag=last-page');
  const next = page.getByRole('button', { name: 'Next' });
  await next.press('Enter');
  await page.getByText('Page 2 of 2').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Next');
  await page.keyboard.press('Enter');
  assert.equal(await next.getAttribute('aria-disabled'), 'true');
  assert.match(page.url(), /page=2$/);
});

it('A page of a list that became empty leads to the last page, and Back does not lead to the empty one', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  for (let number = 0; number < 21; number++) await newItem(url, token, { tags: ['paged'] });
  const page = await pages.open(account, '/content');
  await page.getByLabel('Tag', { exact: true }).fill('paged');
  await page.waitForURL(/[?]tag=paged$/);
  const led = await emptied(page, async () => {
    await page.getByLabel('Select page').check();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move 1 item' }).click();
  });
  assert.deepEqual(led, ['?tag=paged', 0]);
  await page.goBack();
  await page.goBack();
  await page.waitForURL(/content$/);
});

const rowsAre = (count: number) => document.querySelectorAll('.content-row').length === count;
/** Counts in the page how often it says that there is nothing. */
function followEmpty(): void {
  let empty = 0;
  const look = () => {
    empty += document.querySelectorAll('.content-empty').length;
    Reflect.set(globalThis, 'empty', empty);
  };
  look();
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

it('A double click acts once, and on one row only', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  for (const title of ['One', 'Two']) {
    const { id } = await newItem(url, account.token, { title });
    await call(url, 'DELETE', `/api/content/${id}`, { token: account.token });
  }
  const page = await pages.open(account, '/content/trash');
  const restored: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/restore')) restored.push(request.url());
  });
  const rows = page.locator('.content-row');
  await rows.nth(1).waitFor();
  await rows.first().getByRole('button', { name: 'Restore' }).dblclick();
  await page.getByText('is restored.').waitFor();
  await rows.nth(1).waitFor({ state: 'detached' });
  assert.equal(restored.length, 1, restored.join(' '));
});

it('Two versions are compared, and the earlier one is restored over no other save', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'The first words.', tags: ['one', 'two'] });
  const change = (part: string, body: object) =>
    call(url, 'PUT', `/api/content/${id}${part}`, { token, body });
  await change('', { content: 'The second words.', title: 'Other', tags: ['three', 'four'] });
  for (let version = 3; version < 9; version++) await change('', { content: `The words of ${version}.` });
  await change('/draft', { content: 'A draft.' });
  const viewport = { width: 390, height: 844 };
  const page = await pages.open(account, `/content/${id}/versions`, { viewport });
  await page.getByRole('button', { name: /^Version 2/ }).click();
  await page.locator('ins', { hasText: 'second' }).waitFor();
  await page.locator('del', { hasText: 'first' }).waitFor();
  await page.locator('ins', { hasText: 'three, four' }).waitFor();
  // In a narrow window the difference is below the list.
  const difference = page.getByRole('heading', { name: 'From version 1 to 2' });
  await difference.and(page.locator(':focus')).waitFor();
  const place = await difference.boundingBox();
  assert.ok(place && place.y >= 0 && place.y < viewport.height - place.height, `at ${place?.y}`);
  await picture(page, 'content-versions');
  await page.getByRole('button', { name: 'Restore Version 1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('readers see it at once').waitFor();
  await dialog.getByText('unpublished changes stay').waitFor();
  await change('', { content: 'Words of somebody else.' });
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await dialog.getByText('It was saved meanwhile.').waitFor();
  const read = async () => (await call(url, 'GET', `/api/content/${id}`, { token })).body.data.content;
  assert.equal(await read(), 'Words of somebody else.');
  await page.getByRole('button', { name: /^Version 9/, includeHidden: true }).waitFor();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(new RegExp(`content/${id}$`));
  assert.equal(await read(), 'The first words.');
});

it('No page of content breaks WCAG 2.2 AA, in the light and in the dark', async () => {
  const { url } = pages.service();
  const account = await newEditor();
  const text = '# Morning\n\nA walk along the **river**, and `notes`.\n\n> Slowly.\n\n- one\n- two\n';
  const { id } = await newItem(url, account.token, {
    title: 'A walk by the river',
    content: text,
    tags: ['walks', 'water'],
    category: 'notes',
  });
  await call(url, 'PUT', `/api/content/${id}`, {
    token: account.token,
    body: { content: `${text}\nAgain.\n` },
  });
  await newItem(url, account.token, { title: 'A draft of tomorrow', status: 'draft' });
  const paths = ['', '?status=draft', '/new', `/${id}`, `/${id}/versions?version=2`, '/trash', '/labels'];
  const page = await pages.open(account, '/content');
  await page.locator('.areas').waitFor();
  for (const path of paths) {
    await showView(page, `/content${path}`);
    await assertAccessible(page, `content${path}`, [1280]);
  }
  await showView(page, `/content/${id}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('heading', { name: 'Morning' }).waitFor();
  await assertAccessible(page, 'preview', [1280]);
});

it('A list without items leads to the first one and to the drafts, and has nothing to select', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/content?tag=nothing-has-this&author=999999');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByRole('button', { name: 'By account 999999' }).press('Enter');
  await page.getByRole('heading', { name: 'Content', exact: true }).and(page.locator(':focus')).waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Select page' }).count(), 0);
  await page.route('**/api/content?*', (route) => route.fulfill({ json: EMPTY }));
  await page.goto(`${pages.url()}/console/content`);
  await page.getByText('Nothing is published yet.').waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Select page' }).count(), 0);
  assert.match(
    String(await page.getByRole('link', { name: 'Drafts' }).getAttribute('href')),
    /^content\?status=draft$/,
  );
  await page.getByRole('link', { name: 'Write the first item' }).press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
});

const EMPTY = { code: 200, data: { items: [], total: 0, page: 1, per_page: 20 } };

it('A version names the members it changed in the language of the page', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'One.' });
  await call(url, 'PUT', `/api/content/${id}`, { token, body: { content: 'Two.', tags: ['new'] } });
  const page = await pages.open(account, `/content/${id}/versions?version=2`, {
    locale: 'de-DE',
  });
  await page.getByText(/(Text in Markdown, Schlagwörter|Schlagwörter, Text in Markdown)$/).waitFor();
  await page.locator('.content-difference dt', { hasText: 'Schlagwörter' }).waitFor();
});

it('Dates have the order of the region of the browser, in the language of the console', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  await newItem(url, token);
  const dateIn = async (locale: string, language: string) => {
    const page = await pages.open(account, '/forgotten', { locale });
    await page.evaluate((name) => localStorage.setItem('stoa.language', name), language);
    await page.goto(`${pages.url()}/console/content`);
    return page.locator('main time').first().textContent();
  };
  // Regions of the language of the console are in `dates.test.ts`.
  assert.match(String(await dateIn('de-DE', 'en')), /^\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d{2}:\d{2}$/);
  assert.match(String(await dateIn('en-GB', 'de')), /^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/);
});
