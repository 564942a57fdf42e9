// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { disableAccount, setRole } from '../../src/accounts/administer.ts';
import { newSetupLink } from '../../src/setup/link.ts';
import { call, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { freePort } from '../support/cluster.ts';
import { keepFromOthers } from '../support/console/contexts.ts';
import { editor, typeAtEnd } from '../support/console/editor.ts';
import { brokenRules, consolePages, noDialog, picture, signIn, tabTo } from '../support/console/pages.ts';
import { newWithRole } from '../support/people.ts';
import { codeOf, guard, newGuarded } from '../support/second-factor.ts';

const pages = consolePages(async () => {
  const port = String(await freePort());
  return { PORT: port, PUBLIC_URL: `http://localhost:${port}`, SMTP_URL: 'log', EMAIL_VERIFICATION: 'off' };
});

/** Milliseconds by which the tests until now have moved the clock of the service. */
let ahead = 0;
function passTime(milliseconds: number): void {
  ahead += milliseconds;
  pages.service().passTime(milliseconds);
}

async function fill(page: Page, username: string, password = PASSWORD) {
  await page.getByLabel('User name or e-mail').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const isIn = (page: Page, heading: string) =>
  page.getByRole('heading', { name: heading, level: 1 }).waitFor();

/** An authenticator of this page that says yes to everything. */
async function addAuthenticator(page: Page): Promise<void> {
  keepFromOthers(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

const BUSY = {
  status: 503,
  json: { code: 503, message: 'The service is busy.', data: { error: 'unavailable' } },
};

it('A second setup link opens in the same tab, where only the fragment of the address changes', async () => {
  const link = await newSetupLink(pages.service().store, pages.url(), Date.now());
  const page = await pages.open(undefined, '/#setup=stoa_su_nothing');
  await page.getByText('This link cannot be used').waitFor();
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    new URL(link ?? '').hash,
  );
  await page.getByRole('button', { name: 'Make the admin' }).waitFor();
});

it('The link that the service prints makes the admin, who is signed in then or by another click, and the address keeps no secret', async () => {
  const link = await newSetupLink(pages.service().store, pages.url(), Date.now());
  const page = await pages.open(undefined, (link ?? '').split('/console')[1] ?? '');
  const username = newName();
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('E-mail').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.route('**/api/auth/login', (route) => route.fulfill(BUSY));
  await page.getByRole('button', { name: 'Make the admin' }).click();
  await page.getByRole('alert').waitFor();
  await page.unroute('**/api/auth/login');
  await page.getByRole('button', { name: 'Make the admin' }).click();
  await isIn(page, 'You are the admin of this service');
  await page.waitForURL((url) => url.hash === '');
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: username }).waitFor();
});

it('The first admin is offered a passkey and sample content, which one click removes and nothing else', async () => {
  const { url, store } = pages.service();
  const admin = await newAccount(url);
  await store.write(setRole, { account: admin.username, role: 'admin', now: Date.now() });
  const { id: own } = await newItem(url, admin.token, { title: 'My own', tags: ['sample'] });
  const page = await pages.open(admin, '/welcome');
  await isIn(page, 'You are the admin of this service');
  await page.getByRole('link', { name: 'Add a passkey' }).waitFor();
  assert.deepEqual(await brokenRules(page), []);
  await page.getByRole('button', { name: 'Add sample content' }).click();
  await isIn(page, 'Content');
  await page.getByRole('link', { name: 'How to write' }).waitFor();
  await page.getByText('Three sample items are here.').waitFor();
  assert.deepEqual(await brokenRules(page), []);
  const listed = async (query: string) => {
    const { body } = await call(url, 'GET', `/api/content?${query}`, { token: admin.token });
    return body.data.items;
  };
  assert.equal((await listed('status=draft')).length, 1);
  const [members] = await listed('keyword=strangers');
  assert.equal(members.visibility, 'members');
  // One of them is gone already.
  await call(url, 'DELETE', `/api/content/${members.id}`, { token: admin.token });
  await page.getByRole('button', { name: 'Remove the samples' }).click();
  await page.getByText('Three sample items are here.').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'How to write' }).waitFor({ state: 'detached' });
  const left = [...(await listed('')), ...(await listed('status=draft'))];
  assert.deepEqual(
    left.map(({ id }) => id),
    [own],
  );
  await call(url, 'DELETE', `/api/content/${own}`, { token: admin.token });
});

it('Samples that cannot be read now are not taken for gone', async () => {
  const { url, store } = pages.service();
  const admin = await newAccount(url);
  await store.write(setRole, { account: admin.username, role: 'admin', now: Date.now() });
  const page = await pages.open(admin, '/welcome');
  await page.getByRole('button', { name: 'Add sample content' }).click();
  await page.getByText('Three sample items are here.').waitFor();
  const broken = { code: 500, message: 'Something went wrong.', data: { error: 'internal' } };
  await page.route('**/api/content/*?fields=id', (route) => route.fulfill({ status: 500, json: broken }));
  await page.getByRole('button', { name: 'Remove the samples' }).click();
  await page.getByRole('dialog').getByText('Something went wrong in the service. Try again.').waitFor();
  await page.unroute('**/api/content/*?fields=id');
  await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Three sample items are here.').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'How to write' }).waitFor({ state: 'detached' });
});

it('A setup link that cannot be used says so without a form, and leads to the sign-in', async () => {
  const page = await pages.open(undefined, '/#setup=stoa_su_nothing');
  await page.getByText('This link cannot be used').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  assert.deepEqual(await brokenRules(page), []);
  await page.getByRole('link', { name: 'Sign in' }).press('Enter');
  await isIn(page, 'Sign in');
  await page.getByLabel('User name or e-mail').waitFor();
  assert.equal(new URL(page.url()).hash, '');
});

it('A new account whose sign-in failed is signed in by another click', async () => {
  const page = await pages.open(undefined, '/register');
  const username = newName();
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('E-mail').fill(`${username}@example.org`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.route('**/api/auth/login', (route) => route.fulfill(BUSY));
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.unroute('**/api/auth/login');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Menu of ${username}` }).waitFor();
});

it('A new password that is too long is refused beside its field, and never cut', async () => {
  const account = await newAccount(pages.service().url);
  const long = 'correct horse '.repeat(20);
  const page = await pages.open(undefined, '/register');
  const newPassword = async (label: string) => {
    const field = page.getByLabel(label, { exact: true });
    await field.click();
    await page.keyboard.insertText(long);
    assert.equal(await field.inputValue(), long);
    await page.keyboard.press('Enter');
    await page.locator('.field', { has: field }).locator('.field-problem').waitFor();
  };
  await page.getByLabel('User name').fill(newName());
  await page.getByLabel('E-mail').fill('long@example.org');
  await newPassword('Password');
  await signIn(page, pages.url(), account.username);
  await page.goto(`${pages.url()}/console/account/security`);
  await page.getByLabel('Current password').fill(PASSWORD);
  await newPassword('New password');
});

it('With the keyboard only, a person signs in, opens a view and disables another person', async () => {
  const { url, store } = pages.service();
  const [admin, other] = [await newAccount(url), await newAccount(url)];
  await store.write(setRole, { account: admin.username, role: 'admin', now: Date.now() });
  const page = await pages.open(undefined, `/people/${other.id}`);

  // What is typed before the field has the focus goes nowhere.
  await page.getByLabel('User name or e-mail').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(admin.username);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await isIn(page, other.username);
  await page.waitForFunction((title) => document.title === title, `${other.username} · Stoa`);
  await tabTo(page, 'Disable');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Disable ${other.username}?` }).waitFor();
  await tabTo(page, 'Disable');
  await page.keyboard.press('Enter');
  await page.getByText(`${other.username} is disabled.`).waitFor();
  const { body } = await call(url, 'GET', `/api/users/${other.id}`, { token: admin.token });
  assert.equal(body.data.state, 'disabled');
  await tabTo(page, '← People');
  await page.keyboard.press('Enter');
  await isIn(page, 'People');
  // The focus is at the heading of the new view.
  const heading = page.getByRole('heading', { name: 'People', level: 1 });
  await heading.and(page.locator(':focus')).waitFor();
  assert.equal(await page.title(), 'People · Stoa');
});

it('A second step takes a code of the app or a recovery code, and says which one was wrong', async () => {
  const { url } = pages.service();
  const account = await newGuarded(url);
  const page = await pages.open(undefined, '/account');
  await fill(page, account.username);
  await page.getByLabel('Code of your app').fill('000000');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('This was not accepted.').waitFor();
  await page.getByLabel('Code of your app').fill(account.code());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isIn(page, 'Your account');
  const again = await pages.open(undefined, '/account');
  await fill(again, account.username);
  await again.getByRole('button', { name: 'Use a recovery code' }).click();
  await again.getByLabel('Recovery code').fill(account.recoveryCodes[0] ?? '');
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isIn(again, 'Your account');
});

it('An app and a passkey are set up, and the passkey signs in without a password', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/account/security');
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secret = await page.locator('code.secret').innerText();
  await page.getByLabel('Code of your app').fill(codeOf(secret, Date.now() + ahead));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('Keep these codes in a safe place').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Remove My device' }).waitFor();
  await page.getByRole('button', { name: `Menu of ${account.username}` }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await isIn(page, 'Password and sign-in');
});

it('An app or a passkey whose answer is lost is shown as set up, and the app offers new recovery codes', async () => {
  const page = await pages.open(await newAccount(pages.service().url), '/account/security');
  await addAuthenticator(page);
  await page.route(/\/api\/auth\/(totp\/confirm|passkeys)$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Set up an app' }).click();
  const secret = await page.locator('code.secret').innerText();
  await page.getByLabel('Code of your app').fill(codeOf(secret, Date.now() + ahead));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('The app is on, but the answer of the service was lost.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Turn it on' }).count(), 0);
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByText('Keep these codes in a safe place').waitFor();
  assert.equal(await page.getByText('the answer of the service was lost').count(), 0);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Remove My device' }).waitFor();
});

it('The first passkey offers recovery codes at once, and the last one takes them along', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(account, '/account/security');
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByText('Keep these codes in a safe place').waitFor();
  const left = (count: string) => page.locator('dd').getByText(count, { exact: true }).waitFor();
  await left('10');
  await page.getByRole('button', { name: 'Remove My device' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'New recovery codes' }).waitFor({ state: 'detached' });
  await left('0');
});

it('A passkey that was removed is refused as a passkey, alone and as a second factor', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/account/security');
  // With another factor the challenge of a sign-in stays good when the passkey is removed.
  await guard(url, account);
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Remove My device' }).waitFor();
  await page.getByRole('button', { name: `Menu of ${account.username}` }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await fill(page, account.username);
  const use = page.getByRole('button', { name: 'Use a passkey' });
  // The app comes first here. The step before has a button of this name too.
  await page.getByLabel('Code of your app').waitFor();
  await use.click();
  await page.getByText('Confirm with a passkey of your account.').waitFor();
  const passkeys = await call(url, 'GET', '/api/auth/passkeys', { token: account.token });
  const path = `/api/auth/passkeys/${passkeys.body.data.items[0].id}`;
  assert.equal((await call(url, 'DELETE', path, { token: account.token })).status, 200);
  const refused = page.getByText('This passkey was not accepted. Choose another way to sign in.');
  await use.click();
  await refused.waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await use.click();
  await refused.waitFor();
});

it('Wrong passwords, disabled and closed accounts, and too many attempts each get an answer that helps', async () => {
  const { url, store } = pages.service();
  const [disabled, closed, guessed] = [await newAccount(url), await newAccount(url), await newAccount(url)];
  await store.write(disableAccount, { account: disabled.username, now: Date.now() });
  assert.equal((await call(url, 'DELETE', '/api/users/me', { token: closed.token })).status, 200);
  const page = await pages.open(undefined, '/account');
  await fill(page, disabled.username);
  await page.getByText('The user name or the password is wrong.').waitFor();
  await fill(page, closed.username);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await isIn(page, 'Your account');
  const other = await pages.open(undefined, '/account');
  const body = { username: guessed.username, password: 'wrong horse battery' };
  for (let attempt = 0; attempt < 12; attempt++) await call(url, 'POST', '/api/auth/login', { body });
  await fill(other, guessed.username, 'another wrong horse');
  await other.getByText(/Too many attempts\. Try again in \d+ (second|minute)s?\./).waitFor();
});

it('A session that ended elsewhere is begun again over the view, which keeps what was typed', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/account');
  await page.getByLabel('Display name').fill('Ada');
  await call(url, 'DELETE', '/api/auth/sessions', { token: account.token });
  passTime(2_000);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  for (let time = 0; time < 3; time++) await page.keyboard.press('Escape');
  await dialog.waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  assert.equal(await page.getByLabel('Display name').inputValue(), 'Ada');
});

it('Where an admin asks for a new password, the way to it opens beside the editor, which keeps its text', async () => {
  const { url } = pages.service();
  const [admin, account] = [await newWithRole(pages.service(), 'admin'), await newAccount(url)];
  const page = await pages.open(account, '/content/new');
  await typeAtEnd(page, 'Kept.');
  const demand = { token: admin.token, body: { must_change_password: true } };
  assert.equal((await call(url, 'PUT', `/api/users/${account.id}`, demand)).status, 200);
  passTime(2_000);
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  const opened = page.context().waitForEvent('page');
  await dialog.getByRole('link', { name: 'Get a link by mail' }).click();
  const tab = await opened;
  await isIn(tab, 'New password');
  await tab.getByRole('textbox').waitFor();
  await editor(page).getByText('Kept.').waitFor();
});

it('An account that another tab has renamed signs in over the view by its new name', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/account');
  await page.getByLabel('Display name').fill('Ada');
  const username = newName();
  const renamed = await call(url, 'PUT', '/api/users/me', { token: account.token, body: { username } });
  assert.equal(renamed.status, 200);
  await call(url, 'DELETE', '/api/auth/sessions', { token: account.token });
  passTime(2_000);
  await page.getByRole('button', { name: 'Save' }).click();
  await fill(page, username);
  await page.getByText('Saved.').waitFor();
  assert.equal(await page.getByLabel('Display name').inputValue(), 'Ada');
});

it('A page whose session another account has taken over writes nothing in the name of that account', async () => {
  const { url } = pages.service();
  const [account, other] = [await newAccount(url), await newAccount(url)];
  const page = await pages.open(account, '/account');
  await page.getByLabel('Display name').fill('Ada');
  // As an app of CORS_ORIGINS does it: the cookie is another one, and the pages of the console are told nothing.
  await signIn(await page.context().newPage(), pages.url(), other.username);
  passTime(16 * 60_000);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `Menu of ${other.username}` }).waitFor();
  assert.equal(await page.getByLabel('Display name').inputValue(), '');
});

it('A session that the service refuses at the start is shown in its words, and leads to the sign-in', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(undefined, '/');
  // Not the address of PUBLIC_URL, as behind a proxy that changes the header Host.
  await page.goto(`${pages.service().url}/console/account`);
  await fill(page, account.username);
  await isIn(page, 'Your account');
  await page.reload();
  await isIn(page, 'The console cannot start');
  await page.getByText('counts only for pages of this service').waitFor();
  assert.deepEqual(await brokenRules(page), []);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await fill(page, account.username);
  await isIn(page, 'Your account');
});

it('A start without a connection says so, and tries again', async () => {
  const page = await pages.open(await newAccount(pages.service().url), '/account');
  await isIn(page, 'Your account');
  await page.route('**/api/**', (route) => route.abort());
  await page.reload();
  await page.getByText('There is no connection.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Sign in' }).count(), 0);
  await page.unroute('**/api/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await isIn(page, 'Your account');
});

it('A sign-in whose account cannot be read says why, and can be tried again', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(undefined, '/account');
  await page.getByLabel('User name or e-mail').waitFor();
  await page.route('**/api/users/me', (route) => route.abort());
  await fill(page, account.username);
  await page.getByRole('alert').getByText('There is no connection.').waitFor();
  // Only the second click mends it: the page itself reads the account again, and would be in before the click.
  await page.route('**/api/auth/login', async (route) => {
    await page.unroute('**/api/users/me');
    await route.continue();
  });
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isIn(page, 'Your account');
});

it('What needs a recent sign-in asks for it in place, and goes on then', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/account/data');
  await page.getByRole('button', { name: 'Download' }).waitFor();
  passTime(11 * 60_000);
  await page.getByRole('button', { name: 'Download' }).click();
  const dialog = page.getByRole('dialog', { name: 'Is it you?' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  assert.equal((await download).suggestedFilename(), `${account.username}.json`);
});

it('After a success the focus is where a keyboard goes on, and a secret that is shown once has it', async () => {
  const page = await pages.open(await newAccount(pages.service().url), '/account/tokens');
  const focus = page.locator(':focus');
  await page.getByLabel('Name', { exact: true }).fill('Nightly import');
  await page.keyboard.press('Enter');
  await page.getByText('Copy it now: it is shown only once.').waitFor();
  await focus.and(page.locator('.once')).waitFor();
  await page.getByRole('button', { name: 'Revoke Nightly import' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
  await page.getByText('You have no access tokens.').waitFor();
  await focus.and(page.getByRole('heading', { name: 'Access tokens', level: 1 })).waitFor();

  await page.goto(`${pages.url()}/console/account/security`);
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Set up an app' }).press('Enter');
  const secret = await page.locator('code.secret').innerText();
  await focus.and(page.getByLabel('Code of your app')).waitFor();
  await page.keyboard.type(codeOf(secret, Date.now() + ahead));
  await page.keyboard.press('Enter');
  await focus.and(page.locator('.once')).waitFor();
  await page.getByRole('button', { name: 'New recovery codes' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).press('Enter');
  await noDialog(page);
  await focus.and(page.locator('.once')).waitFor();
  await page.getByRole('button', { name: 'Remove the app' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).press('Enter');
  await page.getByRole('button', { name: 'Set up an app' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement === document.body), false);
  const add = page.getByRole('button', { name: 'Add a passkey' });
  await add.press('Enter');
  await page.getByRole('button', { name: 'Remove My device' }).waitFor();
  await focus.and(add).waitFor();
  const current = page.getByLabel('Current password');
  await current.fill(PASSWORD);
  await page.getByLabel('New password').fill(`${PASSWORD}!`);
  await page.keyboard.press('Enter');
  await page.getByText('Your password is changed.').waitFor();
  assert.equal(await current.inputValue(), '');
  await focus.and(page.getByLabel('New password')).waitFor();
});

it('What is typed for a new token stays when the list of tokens arrives', async () => {
  const page = await pages.open(await newAccount(pages.service().url), '/account');
  await isIn(page, 'Your account');
  const { promise: isTyped, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/auth/tokens?*', async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.goto(`${pages.url()}/console/account/tokens`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Nightly import');
  resolve();
  await page.getByText('You have no access tokens.').waitFor();
  assert.equal(await name.inputValue(), 'Nightly import');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await page.locator('.once pre').waitFor();
  assert.equal(await name.inputValue(), '');
});

it('A member has no link to what is for admins, and a deep link explains', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(account, '/people');
  await isIn(page, 'This page is for admins');
  await page.getByText(`You are signed in as ${account.username}`).waitFor();
  assert.equal(await page.getByRole('link', { name: 'People' }).count(), 0);
});

it('A newcomer sees no failed request, and a session is found by the browser in which it began', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.openEmpty(undefined);
  const failed: string[] = [];
  const follow = (of: Page) => {
    of.on('response', (answer) => {
      if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
    });
    of.on('console', (message) => {
      if (message.type() === 'error') failed.push(message.text());
    });
  };
  follow(page);
  await page.goto(`${pages.url()}/console/account`);
  await fill(page, account.username);
  await isIn(page, 'Your account');
  const other = await page.context().newPage();
  follow(other);
  await other.goto(`${pages.url()}/console/account`);
  await isIn(other, 'Your account');
  await other.getByRole('button', { name: `Menu of ${account.username}` }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByLabel('User name or e-mail').waitFor();
  await other.reload();
  await other.getByLabel('User name or e-mail').waitFor();
  assert.deepEqual(failed, []);
});

it('No passkey is offered at an IP address, for which no browser makes one', async () => {
  const page = await pages.open(undefined, '/');
  const use = page.getByRole('button', { name: 'Use a passkey' });
  await use.waitFor();
  await page.goto(`${pages.service().url}/console/`);
  await page.getByLabel('User name or e-mail').waitFor();
  assert.equal(await use.count(), 0);
});

it('German texts are shown at once and keep what was typed, and the menu of the account is not cut off', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(account, '/account');
  await page.getByLabel('Display name').fill('Ada');
  await page.getByRole('button', { name: `Menu of ${account.username}` }).click();
  await page.getByLabel('Language').selectOption('de');
  await page.getByText('Anzeigename', { exact: true }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  assert.equal(await page.getByLabel('Anzeigename').inputValue(), 'Ada');
  // As wide as the narrowest phone, and as high as a window of 1024 pixels at 400 %.
  await page.setViewportSize({ width: 320, height: 256 });
  await picture(page, 'account-menu-320');
  assert.deepEqual(await brokenRules(page), []);
  await page.getByRole('button', { name: 'Abmelden' }).focus();
  const { bottom, cut } = await page.locator('#account-menu').evaluate((menu) => ({
    bottom: Math.max(
      ...[menu, ...menu.querySelectorAll('button')].map((part) => part.getBoundingClientRect().bottom),
    ),
    // An arrow is beside the text of a list, and takes about 20 pixels.
    cut: [...menu.querySelectorAll('select')].filter((list) => {
      const pen = document.createElement('canvas').getContext('2d');
      if (!pen) return true;
      const style = getComputedStyle(list);
      pen.font = style.font;
      const inside = list.clientWidth - Number.parseFloat(style.paddingLeft) * 2 - 20;
      return pen.measureText(list.selectedOptions[0]?.textContent ?? '').width > inside;
    }).length,
  }));
  assert.ok(bottom <= 256, `The menu ends at ${bottom} of 256 pixels.`);
  assert.equal(cut, 0, 'a choice in the menu is cut off');
});

it('At a plain HTTP address that is not localhost, the sign-in says that a reload forgets it', async () => {
  const account = await newAccount(pages.service().url);
  const there = `${pages.url().replace('localhost', 'stoa.test')}/console/`;
  const why = {
    'en-GB': 'a reload forgets the sign-in',
    'de-DE': 'ein Neuladen vergisst die Anmeldung',
  };
  for (const [locale, sentence] of Object.entries(why)) {
    const page = await pages.open(undefined, '/', { locale });
    await page.locator('input[name=password]').waitFor();
    assert.equal(await page.getByText(sentence).count(), 0);
    await page.goto(there);
    await page.getByText(sentence).waitFor();
    await page.locator('input[name=username]').fill(account.username);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('input[name=password]').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(sentence).waitFor();
  }
});
