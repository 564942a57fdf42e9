// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newItem, newName } from '../support/client.ts';
import { assertAccessible, showView } from '../support/console/looks.ts';
import { brokenRules, consolePages, picture, TOO_MANY } from '../support/console/pages.ts';
import { newWithRole } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const pages = consolePages(async () => ({ WEBHOOK_PRIVATE: 'on' }));

it('A webhook is made, tested, changed, paused, resumed, given another secret and deleted, and its secret is shown once', async (t) => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  let status = 500;
  const receiver = await startReceiver(t, (response) => response.writeHead(status).end());
  const page = await pages.open(admin, '/webhooks');
  await page.getByRole('link', { name: 'New webhook' }).click();

  await page.getByLabel('Address', { exact: true }).fill('ftp://site.example/');
  await page.getByLabel('What it is for').fill('The site generator');
  await page.getByRole('checkbox', { name: 'Everything' }).uncheck();
  await page.getByRole('button', { name: 'Make the webhook' }).click();
  await page.getByText('Choose one event at least.').waitFor();
  await page.getByRole('checkbox', { name: 'Item made' }).check();
  await page.getByRole('button', { name: 'Make the webhook' }).click();
  await page.getByText('This address cannot be used.').first().waitFor();
  await page.getByLabel('Address', { exact: true }).fill(receiver.url);
  await page.keyboard.press('Enter');
  const secret = await page.locator('.once pre').innerText();
  assert.match(secret, /^whsec_/);
  await picture(page, 'webhook-made');
  await page.getByRole('link', { name: 'Go to the webhook' }).click();
  await page.getByRole('heading', { name: 'The site generator', level: 1 }).waitFor();
  assert.equal(await page.getByText(secret).count(), 0);

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Last failure: Answer 500').waitFor();
  status = 200;
  await page.getByRole('button', { name: /^Send again/ }).click();
  await page.getByText('Delivered').waitFor();
  await page.getByText('Last failure').waitFor({ state: 'detached' });
  assert.deepEqual(
    receiver.received.map(({ event }) => event),
    ['webhook.test', 'webhook.test'],
  );

  const [address, purpose] = [page.getByLabel('Address', { exact: true }), page.getByLabel('What it is for')];
  await purpose.fill('The mirror');
  await address.fill('ftp://site.example/');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This address cannot be used.').first().waitFor();
  assert.deepEqual(
    [await address.inputValue(), await purpose.inputValue()],
    ['ftp://site.example/', 'The mirror'],
  );
  await address.fill(receiver.url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'The mirror', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByText('It is paused.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('It goes on.').waitFor();
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  assert.notEqual(await page.locator('.once pre').innerText(), secret);
  const { body } = await call(url, 'GET', '/api/webhooks', { token: admin.token });
  const [{ description, events, paused }] = body.data.items;
  assert.deepEqual([description, events, paused], ['The mirror', ['content.created'], false]);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There is no webhook yet.').waitFor();
});

it('The page of a webhook says until when its endpoint holds it back, in English and in German', async (t) => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const { token } = admin;
  const receiver = await startReceiver(t, (response) =>
    response.writeHead(429, { 'retry-after': '7200' }).end(),
  );
  const body = { url: receiver.url, events: ['content.created'] };
  const made = await call(url, 'POST', '/api/webhooks', { token, body });
  const path = `/webhooks/${made.body.data.id}`;
  const read = async () => (await call(url, 'GET', `/api${path}`, { token })).body.data;
  await newItem(url, token);
  await until(async () => (await read()).held_until !== null, 'the endpoint asked to wait');
  const page = await pages.open(admin, path);
  await page.getByText(/^It waits until .+, as the address asked\./).waitFor();
  const german = await pages.open(admin, path, { locale: 'de-DE' });
  await german.getByText(/^Er wartet bis .+, wie die Adresse es verlangt hat\./).waitFor();
});

it('The new secret of a webhook stays where the webhook cannot be read again', async () => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const hook = { url: 'http://127.0.0.1:9/', events: ['content.created'] };
  const { body } = await call(url, 'POST', '/api/webhooks', { token: admin.token, body: hook });
  const page = await pages.open(admin, `/webhooks/${body.data.id}`);
  await page.getByRole('button', { name: 'New secret' }).click();
  const fault = { code: 500, message: 'Something went wrong.', data: { error: 'internal' } };
  await page.route(`**/api/webhooks/${body.data.id}`, (route) => route.fulfill({ status: 500, json: fault }));
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  await page.getByText('Something went wrong in the service.').first().waitFor();
  assert.match(await page.locator('.once pre').innerText(), /^whsec_/);
});

it('The trail is filtered by event, account and time, the address keeps the filters, and Back restores them', async () => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const person = await newAccount(url);
  const page = await pages.open(admin, `/people/${person.id}`);
  await page.getByRole('link', { name: 'All events of this account' }).click();
  await page.getByText('2 events').waitFor();
  await page.getByRole('row', { name: /Registered/ }).waitFor();
  await page.getByRole('combobox', { name: 'Event' }).selectOption({ label: 'Signed in' });
  await page.getByText('1 event', { exact: true }).waitFor();
  assert.match(page.url(), /account=\d+&event=signed_in$/);
  const row = page.getByRole('row', { name: /Signed in/ });
  assert.match(await row.innerText(), /127\.0\.0\.1/);
  await page.goBack();
  await page.getByRole('row', { name: /Registered/ }).waitFor();
  await page.getByLabel('Before').fill('2020-01-01T00:00');
  await page.getByText('No event matches.').waitFor();
  assert.match(page.url(), /until=20(19|20)-/);
  await page.reload();
  await page.getByText('No event matches.').waitFor();
  await page.getByLabel('Before').fill('');
  await page.getByText('2 events').waitFor();

  await page.getByRole('button', { name: /Show all accounts again/ }).click();
  await page.getByText('2 events').waitFor({ state: 'detached' });
  const find = page.getByRole('combobox', { name: 'Account' });
  await find.fill(person.email);
  await find.press('Enter');
  await page.getByText('2 events').waitFor();
  await page
    .getByRole('row', { name: /Registered/ })
    .getByRole('link', { name: person.username })
    .click();
  await page.getByRole('heading', { name: person.username, level: 1 }).waitFor();

  // Another language has the texts that only some pages load.
  await page.goBack();
  await page.getByRole('button', { name: /Menu of/ }).click();
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('row', { name: /Registriert/ }).waitFor();
  await page.getByText('2 Ereignisse').waitFor();
});

it('A name that begins another one is not taken while the longer one is typed, and Enter takes what was typed', async () => {
  const { url } = pages.service();
  const short = newName();
  const long = `${short}ilian`;
  for (const name of [long, short]) await newAccount(url, name);
  const page = await pages.open(await newWithRole(pages.service(), 'admin'), '/trail');
  const find = page.getByRole('combobox', { name: 'Account' });
  const options = page.locator('datalist option');
  for (const name of [long, short]) {
    await find.fill(short.slice(0, -1));
    await options.nth(1).waitFor({ state: 'attached' });
    await find.press('End');
    for (const letter of name.slice(short.length - 1)) await find.press(letter);
    assert.equal(await find.inputValue(), name);
    await find.press('Enter');
    await page.getByRole('button', { name: new RegExp(`^Only ${name}\\b`) }).click();
  }
});

it('A tag is renamed by keyboard, and a merge says before how many items both names have', async () => {
  const { url } = pages.service();
  const editor = await newWithRole(pages.service(), 'editor');
  for (const tags of [['wlaks'], ['wlaks', 'water'], ['walks']]) await newItem(url, editor.token, { tags });
  const page = await pages.open(editor, '/content/labels?prefix=w');
  await page.getByRole('button', { name: 'Rename wlaks' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Rename “wlaks”' });
  await dialog.getByLabel('New name').fill('walks');
  await dialog.getByText('2 items change').waitFor();
  await dialog.getByText('“walks” exists already, with 1 item.').waitFor();
  await picture(page, 'label-merge');
  assert.deepEqual(await brokenRules(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('“wlaks” is “walks” now. Changed: 2.').waitFor();
  assert.match(page.url(), /prefix=w&renaming=wlaks$/);
  await page.locator('.content-labels li', { hasText: 'walks' }).getByText('3 items').waitFor();
  assert.equal(await page.getByText('wlaks', { exact: true }).count(), 0);
  await picture(page, 'label-renamed');
});

it('A rename that empties the last page of labels leads to the page before, and the focus to its heading', async () => {
  const editor = await newWithRole(pages.service(), 'editor');
  const names = Array.from({ length: 51 }, (_, index) => `paged-${100 + index}`);
  for (const tags of [names.slice(0, 26), names.slice(26)])
    await newItem(pages.service().url, editor.token, { tags });
  const page = await pages.open(editor, '/content/labels?prefix=paged&page=2');
  const rows = page.locator('.content-labels li');
  await rows.getByRole('button').press('Enter');
  await page.evaluate(() => {
    const look = () => document.querySelector('.content-empty') && Reflect.set(globalThis, 'saidNone', true);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New name').fill('other');
  await dialog.getByRole('button', { name: /^Rename in/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]page=1\b/);
  await rows.nth(49).waitFor();
  const [focused, saidNone] = await page.evaluate(() => [
    document.activeElement?.tagName,
    Reflect.get(globalThis, 'saidNone'),
  ]);
  assert.deepEqual([focused, saidNone], ['H1', undefined]);
});

it('A renaming is followed to its end, whichever look at it fails', async () => {
  const { url } = pages.service();
  const editor = await newWithRole(pages.service(), 'editor');
  await newItem(url, editor.token, { tags: ['wlaking'] });
  const page = await pages.open(editor, '/content/labels?prefix=wlak');
  let looks = 0;
  await page.route('**/api/content/tags/wlaking', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    looks++;
    if (looks % 2 === 1 && looks < 4) return route.fulfill(TOO_MANY);
    const response = await route.fetch();
    const body = await response.json();
    // It may have ended before the first look.
    return route.fulfill(
      looks > 2 ? { response } : { json: { ...body, data: { ...body.data, ended_at: null } } },
    );
  });
  await page.getByRole('button', { name: 'Rename wlaking' }).click();
  await page.getByRole('dialog').getByLabel('New name').fill('walking');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /1 item/ })
    .click();
  await page.getByText('“wlaking” is “walking” now.').waitFor();
  assert.equal(looks, 4);
});

it('The console renames a tag that is called ".."', async () => {
  const { url } = pages.service();
  const editor = await newWithRole(pages.service(), 'editor');
  await newItem(url, editor.token, { tags: ['..'] });
  const page = await pages.open(editor, '/content/labels?prefix=..');
  await page.getByRole('button', { name: 'Rename ..', exact: true }).click();
  await page.getByRole('dialog').getByLabel('New name').fill('dots');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /1 item/ })
    .click();
  await page.getByText('“..” is “dots” now.').waitFor();
});

it('A member sees no control for webhooks, the trail and names of labels, and a link into them explains itself', async () => {
  const { url } = pages.service();
  const member = await newAccount(url);
  await newItem(url, member.token, { tags: ['walks'] });
  const page = await pages.open(member, '/content/labels');
  await page.getByRole('link', { name: 'walks' }).waitFor();
  for (const name of ['Webhooks', 'Audit trail'])
    assert.equal(await page.getByRole('link', { name }).count(), 0, name);
  assert.equal(await page.getByRole('button', { name: /^Rename/ }).count(), 0);
  for (const path of ['webhooks', 'webhooks/new', 'webhooks/1', 'trail?event=signed_in']) {
    await page.goto(`${pages.url()}/console/${path}`);
    await page.getByRole('heading', { name: 'This page is for admins' }).waitFor();
  }
});

it('No page of webhooks and no view of the trail breaks WCAG 2.2 AA or its policy, in any theme or width', async (t) => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const { token } = admin;
  const receiver = await startReceiver(t, (response) => response.writeHead(503).end());
  const make = async (body: object) =>
    (await call(url, 'POST', '/api/webhooks', { token, body: { url: receiver.url, ...body } })).body.data.id;
  const id = await make({
    events: ['content.created', 'user.removed'],
    description: 'The site generator',
  });
  const paused = await make({ events: ['*'] });
  await call(url, 'PUT', `/api/webhooks/${paused}`, { token, body: { paused: true } });
  await newItem(url, token);
  await call(url, 'POST', `/api/webhooks/${id}/test`, { token });
  await receiver.until(2);
  const paths = ['webhooks', 'webhooks/new', `webhooks/${id}`, `webhooks/${paused}`, 'webhooks/999', 'trail'];
  const page = await pages.open(admin, '/trail');
  await page.locator('.areas').waitFor();
  for (const path of paths) {
    await showView(page, `/${path}`);
    await assertAccessible(page, path);
  }
});
