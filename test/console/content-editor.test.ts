// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { editor, saved, stored, typeAtEnd } from '../support/console/editor.ts';
import { consolePages, noDialog, picture, TOO_MANY, tabTo } from '../support/console/pages.ts';

const pages = consolePages();

/** A page in which " Mine." was typed at the end of "One." before another save, which is "Theirs.". */
async function openBesideOther() {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'One.', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await typeAtEnd(page, ' Mine.');
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'Theirs.' } });
  return { page, content: async () => (await stored(url, account.token, id)).content };
}

it('An item is written, saved and published with the keyboard only', async () => {
  const account = await newAccount(pages.service().url);
  const page = await pages.open(account, '/content');
  await page.getByRole('link', { name: 'New item' }).waitFor();
  await tabTo(page, 'New item');
  await page.keyboard.press('Enter');
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('By hand');
  await page.keyboard.press('Tab');
  await page.keyboard.type('# Begin\nSome text.');
  await page.keyboard.press('Control+s');
  await saved(page);
  await page.waitForURL(/content\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  assert.equal((await stored(pages.service().url, account.token, id)).status, 'draft');
  await tabTo(page, 'Publish', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Published', { exact: true }).waitFor();
  const item = await stored(pages.service().url, account.token, id);
  assert.deepEqual([item.status, item.title, item.content], ['published', 'By hand', '# Begin\nSome text.']);
});

it('A refusal says in the language of the page what is wrong with which field, and an item that is not there leads back', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { slug } = await newItem(url, token);
  const page = await pages.open(account, '/content/new', { locale: 'de-DE' });
  await editor(page).waitFor();
  const title = page.getByRole('textbox', { name: 'Titel' });
  await page.getByRole('button', { name: 'Veröffentlichen' }).click();
  await page.getByRole('alert').getByText('Der Titel fehlt.').waitFor();
  assert.equal(await title.getAttribute('aria-invalid'), 'true');
  await title.fill('Neu');
  await page.getByLabel('Name in Adressen').fill(slug);
  await page.keyboard.press('Control+s');
  await page.getByRole('alert').getByText('Ein anderer Beitrag hat diesen Namen in Adressen.').waitFor();
  assert.equal(await page.getByLabel('Name in Adressen').getAttribute('aria-invalid'), 'true');
  assert.equal(await title.getAttribute('aria-invalid'), null);
  await page.goto(`${pages.url()}/console/content/999999`);
  await page.getByRole('heading', { name: 'Inhalt bearbeiten' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Inhalte' }).click();
  await page.getByRole('heading', { name: 'Inhalte', exact: true }).waitFor();
});

it('The page and its heading have the title of the item, as it is typed', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { title: 'One' });
  const page = await pages.open(account, `/content/${id}`);
  await page.getByRole('heading', { name: 'One', level: 1 }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.title === 'One · Stoa');
  await page.getByRole('textbox', { name: 'Title' }).fill('Two');
  await page.waitForFunction(() => document.title === 'Two · Stoa');
  await page.keyboard.press('Control+s');
  await saved(page);
  await page.locator('.areas').getByRole('link', { name: 'Content' }).click();
  await page.waitForFunction(() => document.title === 'Content · Stoa');
  // An item of somebody else too.
  await page.goto(`${pages.url()}/console/content/${(await newItem(url, (await newAccount(url)).token)).id}`);
  await page.waitForFunction(() => document.title === 'A title · Stoa');
});

it('What is written over a published item is a draft beside it until it is published', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'As published.' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' And more.');
  await page.keyboard.press('Control+s');
  await page.getByText('Unpublished changes').waitFor();
  assert.equal((await stored(url, account.token, id)).content, 'As published.');
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
  assert.equal((await stored(url, account.token, id)).content, 'As published. And more.');
});

it('The language of a text is stored in an item and in a draft beside it, is taken away, and is that of its fields', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const page = await pages.open(account, '/content/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Ein Titel');
  const language = page.getByRole('textbox', { name: 'Language' });
  await language.fill('de');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published', { exact: true }).waitFor();
  await page.waitForURL(/content\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  assert.equal((await stored(url, token, id)).language, 'de');
  await language.fill('pt-BR');
  await page.locator('.content-text[lang=pt-BR]').waitFor();
  await page.getByRole('textbox', { name: 'Title' }).and(page.locator('[lang=pt-BR]')).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Unpublished changes').waitFor();
  assert.equal((await stored(url, token, id, '/draft')).language, 'pt-BR');
  await page.reload();
  assert.equal(await language.inputValue(), 'pt-BR');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('article[lang=pt-BR]').waitFor();
  await language.fill('');
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
  assert.equal((await stored(url, token, id)).language, undefined);
});

it('What is typed while a publication saves first stays, and is not said to be saved', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { title: 'First', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await typeAtEnd(page, ' More.');
  const [sent, typed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/api/content/${id}`, async (route) => {
    if (route.request().method() === 'PUT') {
      sent.resolve();
      await typed.promise;
    }
    return route.continue();
  });
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await sent.promise;
  await title.fill('Second');
  typed.resolve();
  await page.getByText('Published', { exact: true }).waitFor();
  assert.equal(await title.inputValue(), 'Second');
  assert.equal(await page.getByText('Not saved').count(), 1);
  assert.equal((await stored(url, account.token, id)).title, 'First');
});

it('A save whose second request is refused is no save of another author when it is made again', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const page = await pages.open(account, `/content/${id}`);
  const title = page.getByRole('textbox', { name: 'Title' });
  await editor(page).waitFor();
  await page.getByLabel('Name in addresses').fill('half-saved');
  await title.fill('');
  await page.keyboard.press('Control+s');
  await page.getByRole('alert').filter({ hasText: /title/i }).waitFor();
  assert.equal((await stored(url, account.token, id)).slug, 'half-saved');
  await title.fill('Better');
  await page.keyboard.press('Control+s');
  await page.getByText('Unpublished changes').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal((await stored(url, account.token, id, '/draft')).title, 'Better');
});

it('A save that comes after another one shows both versions, and the chosen one is stored', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { content: 'One.\n', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Mine.');
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'One.\nTheirs.' } });
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  await dialog.getByText('Theirs.').waitFor();
  await dialog.getByText('Mine.').waitFor();
  assert.equal((await stored(url, account.token, id)).content, 'One.\nTheirs.');
  await picture(page, 'content-stale');
  // Who does not choose loses nothing, and is asked again by the next save.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await noDialog(page);
  assert.equal(await editor(page).innerText(), 'One.\nMine.');
  await page.keyboard.press('Control+s');
  await dialog.getByRole('button', { name: 'Save the right side' }).click();
  await saved(page);
  assert.equal((await stored(url, account.token, id)).content, 'One.\nMine.');
});

it('What another save changed besides the text is merged, and is shown where both changed it', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { title: 'One', tags: ['gone', 'kept'], status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await page.getByRole('textbox', { name: 'Language' }).fill('de');
  await page.getByRole('button', { name: 'Remove the tag gone' }).press('Enter');
  await page
    .locator('input:focus')
    .and(page.getByRole('combobox', { name: 'Tags' }))
    .waitFor();
  await page.keyboard.type('mine');
  await page.keyboard.press('Enter');
  await call(url, 'PUT', `/api/content/${id}`, {
    token,
    body: { title: 'Theirs', tags: ['gone', 'kept', 'theirs'], category: 'theirs', language: 'fr' },
  });
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  await dialog.getByRole('row', { name: 'Title Theirs Mine' }).waitFor();
  await dialog.getByRole('row', { name: 'Language fr de' }).waitFor();
  assert.equal(await dialog.locator('tbody tr').count(), 2);
  await picture(page, 'content-stale-settings');
  await dialog.getByRole('button', { name: 'Save the right side' }).click();
  await saved(page);
  const { title, tags, category, language } = await stored(url, token, id);
  assert.deepEqual([title, tags, category, language], ['Mine', ['kept', 'theirs', 'mine'], 'theirs', 'de']);
});

it('An open page whose files are gone after an upgrade says so, keeps what was typed and replaces no other save', async () => {
  const { page, content } = await openBesideOther();
  await page.route('**/console/assets/*', (route) => route.fulfill({ status: 404 }));
  await page.keyboard.press('Control+s');
  await page.getByRole('alert').getByRole('button', { name: 'Load again' }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await editor(page).innerText(), 'One. Mine.');
  assert.equal(await content(), 'Theirs.');
  await page.getByText('Not saved').waitFor();
});

it('Two versions are asked about only when both are shown', async () => {
  const { page } = await openBesideOther();
  const [asked, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/console/assets/*', async (route) => {
    asked.resolve();
    await shown.promise;
    return route.continue();
  });
  await page.keyboard.press('Control+s');
  await asked.promise;
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  assert.equal(await dialog.count(), 0);
  shown.resolve();
  await dialog.getByText('Theirs.').waitFor();
  await dialog.getByText('One. Mine.').waitFor();
});

it('A text that gave way to another save is offered after it, and again after a reload', async () => {
  const { page, content } = await openBesideOther();
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Take the saved version' }).click();
  await noDialog(page);
  await saved(page);
  await editor(page).getByText('Theirs.', { exact: true }).waitFor();
  await page.getByText('that was not saved').waitFor();
  await page.reload();
  await editor(page).getByText('Theirs.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Continue with it' }).press('Enter');
  await editor(page).getByText('One. Mine.', { exact: true }).waitFor();
  await editor(page).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.equal(await content(), 'One. Mine.');
});

it('What is merged while the dialog of another save is open is kept, and is in the editor when the dialog is closed', async () => {
  const { page, content } = await openBesideOther();
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  const mine = dialog.getByRole('textbox', { name: 'Yours' });
  await mine.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Merged.');
  await page.keyboard.press('Control+s');
  await page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes(' Merged.')));
  assert.equal(await mine.innerText(), 'One. Mine. Merged.');
  await page.keyboard.press('Escape');
  await noDialog(page);
  // The text is put into the editor after the next paint.
  await editor(page).getByText('One. Mine. Merged.', { exact: true }).waitFor();
  assert.equal(await content(), 'Theirs.');
  await page.keyboard.press('Control+s');
  await dialog.getByRole('button', { name: 'Save the right side' }).click();
  await saved(page);
  assert.equal(await content(), 'One. Mine. Merged.');
});

it('A tag that is typed is saved by Ctrl+S, and Enter of an input method adds no half of one', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, { status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await tags.fill('ki');
  for (const how of [{ isComposing: true }, { keyCode: 229 }])
    await tags.dispatchEvent('keydown', { key: 'Enter', ...how });
  assert.equal(await tags.inputValue(), 'ki');
  await tags.fill('kigo');
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Remove the tag kigo' }).waitFor();
  await saved(page);
  assert.deepEqual((await stored(url, account.token, id)).tags, ['kigo']);
  // The next one can be typed at once.
  await page.keyboard.type('haiku');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove the tag haiku' }).waitFor();
});

it('Ctrl+S saves on a keyboard of other letters than Latin ones, and only there by the place of the key', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'One.', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await typeAtEnd(page, ' Two.');
  const press = (key: string) =>
    editor(page).dispatchEvent('keydown', {
      key,
      code: 'KeyS',
      ctrlKey: true,
      bubbles: true,
      cancelable: true,
    });
  // The letter of a Dvorak keyboard.
  await press('o');
  await page.getByText('Not saved').waitFor();
  await press('ы');
  await saved(page);
  assert.equal((await stored(url, token, id)).content, 'One. Two.');
});

it('The buttons that save and publish keep the focus, and do nothing while there is nothing to do', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'One.', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await typeAtEnd(page, ' Two.');
  const writes: string[] = [];
  page.on('request', (request) => {
    if (/^(PUT|POST)$/.test(request.method()) && request.url().includes(`/content/${id}`))
      writes.push(request.url());
  });
  for (const [name, said] of [
    ['Save draft', 'Saved'],
    ['Publish', 'Published'],
  ] as const) {
    const button = page.getByRole('button', { name, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText(said, { exact: true }).waitFor();
    await page.locator('.content-actions :focus[aria-disabled=true]').waitFor();
    await page.keyboard.press('Enter');
  }
  await page.getByText('Saved', { exact: true }).waitFor();
  assert.equal(writes.length, 2, writes.join(' '));
});

it('A wait is shown and sends nothing twice, and an answer that comes late leads nobody away', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'One.', status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  let answer = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route(`**/api/content/${id}{,/publish}`, async (route) => {
    const method = route.request().method();
    if (method === 'GET') return route.continue();
    sent.push(method);
    await answer.promise;
    return route.continue();
  });
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await publish.click();
  await page.getByText('One moment').waitFor();
  assert.equal(await publish.getAttribute('aria-disabled'), 'true');
  await publish.dispatchEvent('click');
  answer.resolve();
  await page.getByText('Published', { exact: true }).waitFor();
  answer = Promise.withResolvers();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Move to trash …' }).click();
  await page.getByRole('button', { name: 'Move to trash', exact: true }).click();
  await page.getByText('One moment').waitFor();
  await page.evaluate(() => Reflect.get(globalThis, 'navigation').navigate('/console/account'));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
  answer.resolve();
  await answered;
  await page.waitForTimeout(200);
  assert.match(page.url(), /\/account$/);
  assert.deepEqual(sent, ['POST', 'DELETE']);
});

it('On a phone the actions stay in sight, the toggle says only what it does, and a tag gets no capital letter', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token);
  const viewport = { width: 390, height: 844 };
  const page = await pages.open(account, `/content/${id}`, { viewport });
  await editor(page).waitFor();
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await tags.focus();
  assert.equal(await tags.getAttribute('autocapitalize'), 'none');
  const [save, field] = [
    await page.getByRole('button', { name: 'Save draft' }).boundingBox(),
    await tags.boundingBox(),
  ];
  assert.ok(save && field && save.y >= 0 && save.y + save.height < field.y, `${save?.y} ${field?.y}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  const toggle = page.getByRole('button', { name: 'Write', exact: true });
  assert.equal(await toggle.getAttribute('aria-pressed'), null);
});

it('Folded lines are opened and a place of the other version is taken with the keyboard, in German', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const same = 'Gleich.\n'.repeat(20);
  const { id } = await newItem(url, account.token, { content: `Eins.\n${same}`, status: 'draft' });
  const page = await pages.open(account, `/content/${id}`, { locale: 'de-DE' });
  await editor(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('Meins. ');
  const content = `Ihres.\n${same}`;
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content } });
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Jemand hat vorher gesichert' });
  await dialog.getByRole('button', { name: '18 unveränderte Zeilen' }).waitFor();
  const mine = dialog.getByRole('textbox', { name: 'Ihre Version' });
  const isInMine = () => mine.and(page.locator(':focus')).waitFor();
  await tabTo(page, '18 unveränderte Zeilen');
  await page.keyboard.press('Enter');
  await dialog.getByText('18 unveränderte Zeilen').first().waitFor({ state: 'detached' });
  await isInMine();
  await dialog.getByRole('button', { name: 'Diese Stelle der gesicherten Version übernehmen' }).waitFor();
  await tabTo(page, 'Diese Stelle der gesicherten Version übernehmen', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await mine.getByText('Ihres.').waitFor();
  await isInMine();
  await dialog.getByRole('button', { name: 'Rechte Seite sichern' }).click();
  await page.getByText('Gesichert', { exact: true }).waitFor();
  assert.equal((await stored(url, account.token, id)).content, content);
});

it('A draft is scheduled for a time to come only, an item is withdrawn, and both are told', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const page = await pages.open(account, `/content/${id}`);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name }).click();
  };
  await choose('Withdraw …');
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('Draft', { exact: true }).waitFor();
  await choose('Publish later …');
  await page.getByLabel('Date and time').fill('2020-01-02T03:04');
  await page.getByRole('button', { name: 'Publish then' }).click();
  await page.locator('input:invalid').waitFor();
  assert.equal((await stored(url, account.token, id)).publish_at, null);
  await page.getByLabel('Date and time').fill('2099-01-02T03:04');
  await page.getByRole('button', { name: 'Publish then' }).click();
  await page.getByText('Will be published').waitFor();
  await saved(page);
  const item = await stored(url, account.token, id);
  assert.equal(item.status, 'draft');
  assert.match(item.publish_at, /^2099-01-0[123]T/);
});

it('What a colleague saves right after a withdrawal is shown as another save', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { content: 'Mine.' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  const [asked, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isWithdrawn = false;
  await page.route(`**/api/content/${id}`, async (route) => {
    if (route.request().method() === 'PUT') isWithdrawn = true;
    else if (isWithdrawn) {
      asked.resolve();
      await saved.promise;
    }
    return route.continue();
  });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Withdraw …' }).click();
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await asked.promise;
  await call(url, 'PUT', `/api/content/${id}`, { token, body: { content: 'Theirs.' } });
  saved.resolve();
  const dialog = page.getByRole('dialog', { name: 'Another save came first' });
  await dialog.getByText('Theirs.').waitFor();
  await dialog.getByText('Mine.').waitFor();
});

it('A draft is scheduled over a change of its item once its author was told of the change', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const draft = { token: account.token, body: { content: 'Mine.' } };
  assert.equal((await call(url, 'PUT', `/api/content/${id}/draft`, draft)).status, 200);
  const other = { token: account.token, body: { content: 'Theirs.' } };
  assert.equal((await call(url, 'PUT', `/api/content/${id}`, other)).status, 200);
  const page = await pages.open(account, `/content/${id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Publish later …' }).click();
  await page.getByText('The published item was changed after this draft was begun.').waitFor();
  await page.getByLabel('Date and time').fill('2099-01-02T03:04');
  await page.getByRole('button', { name: 'Publish then' }).click();
  await page.getByText('Will be published').waitFor();
  await saved(page);
  const { body } = await call(url, 'GET', `/api/content/${id}/draft`, { token: account.token });
  assert.deepEqual([body.data.content, body.data.over_version], ['Mine.', 2]);
  assert.match(body.data.publish_at, /^2099-01-0[123]T/);
});

/** A published item with a draft, which is open in the editor while a program changes the item. */
async function openWhileItemChanges() {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token);
  await call(url, 'PUT', `/api/content/${id}/draft`, { token, body: { content: 'Mine.' } });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).getByText('Mine.').waitFor();
  await call(url, 'PUT', `/api/content/${id}`, {
    token,
    body: { content: 'Theirs.', visibility: 'members' },
  });
  return { page, read: (part = '') => stored(url, token, id, part) };
}

for (const typed of ['', ' More.'])
  it(`A draft ${typed && 'that is saved first '}is published over a change made while it is open only after a question`, async () => {
    const { page, read } = await openWhileItemChanges();
    await typeAtEnd(page, typed);
    await page.getByRole('button', { name: 'Publish changes' }).click();
    const question = page.getByRole('dialog', { name: 'Publish over a newer version?' });
    await question.waitFor();
    assert.equal((await read()).content, 'Theirs.');
    await question.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Unpublished changes').waitFor({ state: 'detached' });
    const { content, visibility } = await read();
    assert.deepEqual([content, visibility], [`Mine.${typed}`, 'members']);
  });

it('A draft is scheduled over a change made while it is open only after its author was told of the change', async () => {
  const { page, read } = await openWhileItemChanges();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Publish later …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish later …' });
  const warning = dialog.getByText('The published item was changed after this draft was begun.');
  await dialog.getByLabel('Date and time').fill('2099-01-02T03:04');
  assert.equal(await warning.count(), 0);
  await dialog.getByRole('button', { name: 'Publish then' }).click();
  // An author who does not agree is asked again by the next save.
  await warning.waitFor();
  await page.keyboard.press('Escape');
  await noDialog(page);
  await page.keyboard.press('Control+s');
  await warning.waitFor();
  assert.equal((await read('/draft')).publish_at, null);
  assert.match(await dialog.getByLabel('Date and time').inputValue(), /^2099-01-02T03:04/);
  await dialog.getByRole('button', { name: 'Publish then' }).click();
  await saved(page);
  const draft = await read('/draft');
  assert.deepEqual([draft.content, draft.over_version], ['Mine.', 2]);
  assert.match(draft.publish_at, /^2099-01-0[123]T/);
});

it('A change of what the editor does not show keeps no item from being published or withdrawn', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  const change = (meta: object) => call(url, 'PUT', `/api/content/${id}`, { token, body: { meta } });
  await change({ seen: 1 });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Published', { exact: true }).waitFor();
  await change({ seen: 2 });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Withdraw …' }).click();
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('Draft', { exact: true }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  const { status, meta } = await stored(url, token, id);
  assert.deepEqual([status, meta], ['draft', { seen: 2 }]);
});

it('A time that is taken back while a save is under way is not stored', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { status: 'draft', publish_at: '2099-01-02T03:04:05Z' });
  const page = await pages.open(account, `/content/${id}`);
  await typeAtEnd(page, ' More.');
  const [sent, chosen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/api/content/${id}`, async (route) => {
    if (route.request().method() === 'PUT') {
      sent.resolve();
      await chosen.promise;
    }
    return route.continue();
  });
  await page.keyboard.press('Control+s');
  await sent.promise;
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Publish later …' }).click();
  await page.getByRole('button', { name: 'Do not publish by itself' }).click();
  await noDialog(page);
  chosen.resolve();
  await saved(page);
  assert.equal((await stored(url, token, id)).publish_at, null);
});

it('A new item is scheduled before it was ever saved', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/content/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Open day');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Publish later …' }).click();
  await page.getByLabel('Date and time').fill('2099-01-02T03:04');
  await page.getByRole('button', { name: 'Publish then' }).click();
  await page.waitForURL(/content\/\d+$/);
  await page.getByText('Will be published').waitFor();
  const item = await stored(url, account.token, Number(/(\d+)$/.exec(page.url())?.[1]));
  assert.deepEqual([item.status, item.publish_at.slice(0, 7)], ['draft', '2099-01']);
});

it('A save that is refused for some time says in the language of the page when to try again', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { status: 'draft' });
  const page = await pages.open(account, `/content/${id}`, { locale: 'de-DE' });
  await typeAtEnd(page, 'More.');
  await page.route(`**/api/content/${id}`, (route) => route.fulfill(TOO_MANY));
  await page.keyboard.press('Control+s');
  await page.getByText('Zu viele Versuche. Versuchen Sie es in 2 Minuten noch einmal.').waitFor();
});
