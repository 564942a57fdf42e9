// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { installClock } from '../support/console/contexts.ts';
import { brokenRules, consolePages, picture } from '../support/console/pages.ts';
import { importInto, newWithRole } from '../support/people.ts';

const pages = consolePages();
const HASH =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** Accounts whose names begin alike. */
async function people(prefix: string, count: number): Promise<void> {
  const accounts = Array.from({ length: count }, () => ({ username: newName(prefix), passwordHash: HASH }));
  await importInto(pages.service().store, accounts);
}

it('A view of the people is one request for the list, and its address holds it, so Back and a reload restore it', async () => {
  await people('herd', 45);
  const admin = await newWithRole(pages.service(), 'admin');
  const page = await pages.open(admin, '/people?keyword=herd');
  const lists: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) lists.push(`${pathname}${search}`);
  });
  const named = page.locator('tbody th a').first();
  /** The first name, once the list is no longer that of before. */
  const names = async (act: () => unknown) => {
    await Promise.all([page.waitForResponse(/\/api\/users\?/), act()]);
    await page.locator('table[aria-busy=false]').waitFor();
    await page.getByText('45 people').waitFor();
    return named.innerText();
  };
  const first = await names(() => page.reload());

  const shown: string[] = [];
  for (const act of [
    () => page.getByLabel('Order').selectOption('-id'),
    () => page.getByLabel('Role').selectOption('member'),
    () => page.getByRole('button', { name: 'Last' }).click(),
  ]) {
    lists.length = 0;
    shown.push(await names(act));
    assert.equal(lists.length, 1, lists.join(' '));
    assert.match(lists[0] ?? '', /^\/api\/users\?/);
  }
  const [newest, ofMembers, last] = shown;
  assert.notEqual(newest, first);
  assert.equal(ofMembers, newest);
  assert.equal(await page.locator('tbody tr').count(), 5);
  assert.equal(new URL(page.url()).search, '?keyword=herd&sort=-id&role=member&page=3');
  assert.equal(await names(() => page.reload()), last);
  assert.equal(await names(() => page.goBack()), newest);
  await page.getByText('Page 1 of 3').waitFor();
  await named.click();
  await page.getByRole('heading', { name: newest ?? '', level: 1 }).waitFor();
  assert.equal(await names(() => page.goBack()), newest);
  assert.equal(await page.getByLabel('Role').inputValue(), 'member');
  await names(() => page.goBack());
  assert.equal(await names(() => page.goBack()), first);
  assert.equal(await page.getByLabel('Role').inputValue(), '');
});

it('A search keeps each letter and each other filter, whenever they come', async () => {
  const page = await pages.open(await newWithRole(pages.service(), 'admin'), '/people');
  const search = page.getByRole('searchbox');
  await search.waitFor();
  // The time of the page stands still, so that what is pressed falls between the steps of one search.
  await installClock(page);
  await page.reload();
  await page.clock.runFor(1_000);
  await search.waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await search.press('h');
  await page.getByLabel('Role').selectOption('member');
  await page.clock.runFor(250);
  await page.waitForURL(({ searchParams }) => searchParams.has('keyword'));
  // The address has the search, and the next frame is not there yet.
  await search.press('e');
  await page.clock.runFor(1_000);
  await page.waitForURL(({ search }) => search === '?role=member&keyword=he');
  assert.equal(await search.inputValue(), 'he');
});

it('A bulk action by filter shows what the service counts, reports each refusal, and spares oneself and so the last admin', async () => {
  const { url } = pages.service();
  await people('flock', 24);
  const admin = await newWithRole(pages.service(), 'admin');
  const { token } = admin;
  const own = newName('flock');
  assert.equal((await call(url, 'PUT', '/api/users/me', { token, body: { username: own } })).status, 200);
  const page = await pages.open({ username: own }, '/people?keyword=flock');
  await page.getByText('25 people').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 of 2').waitFor();
  // The number of the page is there before its rows.
  await page.getByRole('link', { name: own }).waitFor();
  assert.equal(await page.getByRole('checkbox', { name: `Select ${own}` }).count(), 0);
  await page.getByLabel('Select page').check();
  await page.getByText('4 selected').waitFor();
  await page.getByLabel('All 25 that match').check();
  // Somebody is new since the page was shown.
  await people('flock', 1);
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 26 people?' });
  await picture(page, 'people-bulk');
  assert.deepEqual(await brokenRules(page), []);
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Changed: 25. Refused: 1.').waitFor();
  await page.getByText('This is your own account; change it by itself.').waitFor();
  await picture(page, 'people-bulk-done');
  await page.setViewportSize({ width: 320, height: 640 });
  await picture(page, 'people-bulk-320');
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  const { body } = await call(url, 'GET', '/api/users?view=admin&keyword=flock&state=active', { token });
  assert.deepEqual([body.data.total, body.data.items[0].id], [1, admin.id]);
  await page.getByRole('link', { name: `#${admin.id}` }).click();
  await page.getByRole('heading', { name: own, level: 1 }).waitFor();
});

it('A bulk action goes on while the admin turns the page and looks elsewhere, and the list shows how far it is', async () => {
  const { url } = pages.service();
  await people('drove', 250);
  const admin = await newWithRole(pages.service(), 'admin');
  const page = await pages.open(admin, '/people?keyword=drove');
  const second = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let asked = 0;
  await page.route('**/api/users/bulk', async (route) => {
    if (++asked === 2) {
      second.resolve();
      await released.promise;
    }
    await route.continue();
  });
  await page.getByLabel('Select page').check();
  await page.getByLabel('All 250 that match').check();
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 250 people?' });
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await second.promise;
  const running = page.getByText('100 of 250 …');
  await running.waitFor();
  assert.ok(await page.getByRole('button', { name: 'Disable' }).isDisabled());
  assert.equal(await page.getByText('Changed:').count(), 0);
  await Promise.all([
    page.waitForResponse(/\/api\/users\?/),
    page.getByRole('button', { name: 'Next' }).click(),
  ]);
  await page.getByText('Page 2 of 13').waitFor();
  await page.locator('table[aria-busy=false]').waitFor();
  await running.waitFor();
  await page.getByLabel('Select page').check();
  assert.ok(await page.getByRole('button', { name: 'Disable' }).isDisabled());
  // The browser asks whether the page may be closed.
  const question = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const closing = await question;
  assert.equal(closing.type(), 'beforeunload');
  await closing.dismiss();
  await page.getByRole('link', { name: 'Audit trail' }).click();
  await page.getByRole('heading', { name: 'Audit trail', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'People' }).click();
  await running.waitFor();
  released.resolve();
  await page.getByText('Changed: 250. Refused: 0.').waitFor();
  const query = 'view=admin&keyword=drove&state=active';
  const { body } = await call(url, 'GET', `/api/users?${query}`, { token: admin.token });
  assert.equal(body.data.total, 0);
  // What was seen is not shown again, and nothing keeps the page any more.
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Changed:').waitFor({ state: 'detached' });
  await page.reload();
});

it('A bulk action for more people than it takes says how many it leaves out', async () => {
  await people('swarm', 21);
  const page = await pages.open(await newWithRole(pages.service(), 'admin'), '/people?keyword=swarm');
  // As if there were 10,002 of them.
  let walked = 0;
  await page.route('**/api/users?*', async (route) => {
    if (new URL(route.request().url()).searchParams.has('cursor')) {
      const items = Array.from({ length: 100 }, (_, at) => ({ id: 100 * walked + at + 1 }));
      walked++;
      return route.fulfill({ json: { code: 200, message: 'ok', data: { items, next_cursor: 'next' } } });
    }
    const response = await route.fetch();
    const json = await response.json();
    json.data.total = 10_002;
    return route.fulfill({ response, json });
  });
  await page.reload();
  await page.getByText('10,002 people').waitFor();
  await page.getByLabel('Select page').check();
  await page.getByLabel('All 10,002 that match').check();
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 10,000 people?' });
  await dialog
    .getByText('One action takes 10,000 at most. The other 2 that match stay as they are.')
    .waitFor();
  assert.equal(walked, 100);
});

it('Rights that are given to many ask for a recent sign-in once, and then are given', async () => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const [one, other] = [await newAccount(url, newName('pair')), await newAccount(url, newName('pair'))];
  const page = await pages.open(admin, '/people?keyword=pair');
  await page.getByRole('checkbox', { name: `Select ${one.username}` }).check();
  await page.getByRole('checkbox', { name: `Select ${other.username}` }).check();
  pages.service().passTime(11 * 60_000);
  await page.getByRole('button', { name: 'Make editor' }).click();
  await page
    .getByRole('dialog', { name: 'Change 2 people?' })
    .getByRole('button', { name: 'Make editor' })
    .click();
  const again = page.getByRole('dialog', { name: 'Is it you?' });
  await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Changed: 2. Refused: 0.').waitFor();
  const editors = page.locator('tbody').getByText('Editor', { exact: true });
  // The list is read again after the change.
  await editors.nth(1).waitFor();
  assert.equal(await editors.count(), 2);
});

it('A person who was unticked is left out of an action on all that match, and nobody stays chosen who left the list', async () => {
  const { url } = pages.service();
  await people('fold', 26);
  const admin = await newWithRole(pages.service(), 'admin');
  const page = await pages.open(admin, '/people?keyword=fold&state=active');
  const all = page.getByLabel('All 26 that match');
  const spared = page.locator('tbody tr').first();
  const name = await spared.getByRole('link').innerText();
  await page.getByLabel('Select page').check();
  await all.check();
  await page.getByText('26 selected').waitFor();
  await spared.getByRole('checkbox').uncheck();
  await page.getByText('19 selected').waitFor();
  assert.equal(await all.count(), 0);
  await spared.getByRole('checkbox').check();
  assert.equal(await all.isChecked(), false);
  await spared.getByRole('checkbox').uncheck();
  await page.getByRole('button', { name: 'Disable' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 19 people?' });
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Changed: 19. Refused: 0.').waitFor();
  await page.getByText('7 people').waitFor();
  await page.getByText('0 selected').waitFor();
  const query = 'view=admin&keyword=fold&state=active';
  const { body } = await call(url, 'GET', `/api/users?${query}`, { token: admin.token });
  assert.equal(body.data.total, 7);
  assert.ok(body.data.items.some(({ username }: { username: string }) => username === name));
});

it('A question that was answered with Yes gives the focus back to its button', async () => {
  const { url } = pages.service();
  const [admin, person] = [await newWithRole(pages.service(), 'admin'), await newAccount(url)];
  const page = await pages.open(admin, `/people/${person.id}`);
  const button = page.getByRole('button', { name: 'Sign out everywhere' });
  await button.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button.and(page.locator(':focus')).waitFor();
});

it('A person with eleven access tokens has one more than those shown, and tokens that were not read are no lack of them', async () => {
  const { url } = pages.service();
  const [admin, person] = [await newWithRole(pages.service(), 'admin'), await newAccount(url)];
  for (let number = 1; number <= 11; number++) {
    const body = { name: `Program ${number}`, scope: 'read', expires_in_days: 1 };
    const made = await call(url, 'POST', '/api/auth/tokens', { token: person.token, body });
    assert.equal(made.status, 200);
  }
  const page = await pages.open(admin, `/people/${person.id}`);
  const tokens = page.locator('section', { has: page.getByRole('heading', { name: 'Access tokens' }) });
  await tokens.getByText('1 more').waitFor();
  assert.equal(await tokens.getByText(/^Program/).count(), 10);
  await page.route(`**/api/users/${person.id}/tokens?*`, (route) =>
    route.fulfill({
      status: 503,
      json: { code: 503, message: 'The service is busy.', data: { error: 'unavailable' } },
    }),
  );
  await page.reload();
  await tokens.getByRole('alert').waitFor();
});

it('An area that is opened first without a network says so, and is there when the network is back', async () => {
  const page = await pages.open(await newWithRole(pages.service(), 'admin'), '/account');
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('alert').getByText('There is no connection.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Load again' }).count(), 0);
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await page.getByText('There is no connection.').waitFor({ state: 'detached' });
});

it('An area whose file does not come from a service that answers asks to load the console again', async () => {
  const page = await pages.open(await newWithRole(pages.service(), 'admin'), '/account');
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  await page.route('**/console/assets/*', (route) =>
    route.request().method() === 'HEAD' ? route.continue() : route.abort(),
  );
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('button', { name: 'Load again' }).waitFor();
  await page.unroute('**/console/assets/*');
  await page.getByRole('button', { name: 'Load again' }).click();
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
});
