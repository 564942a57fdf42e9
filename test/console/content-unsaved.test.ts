// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { ACCESS_TOKEN_SECONDS } from '../../src/sessions/lifetimes.ts';
import { type Account, call, login, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { installClock } from '../support/console/contexts.ts';
import { editor, saved, stored, typeAtEnd } from '../support/console/editor.ts';
import { consolePages, noDialog } from '../support/console/pages.ts';
import { newWithRole } from '../support/people.ts';

// A page that crashes leaves the others as they are.
const pages = consolePages(undefined, []);

const isKept = () => Object.keys(localStorage).some((key) => key.startsWith('stoa.unsaved.'));
/** Returns once the browser keeps a text with these words in it. */
const keeps = (page: Page, words: string) =>
  page.waitForFunction((words) => Object.values(localStorage).some((kept) => kept.includes(words)), words);
const stale = (page: Page) => page.getByRole('dialog', { name: 'Another save came first' });

/** An author with a draft, which is open in the editor. */
async function writing(members: object = { content: 'Text.', status: 'draft' }) {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token, members);
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  return { url, account, id, page };
}

/** Ends the process of the page, which asks and tells nobody. */
async function crash(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  devtools.send('Page.crash').catch(() => {});
  await crashed;
}

/** The account signs in with the form that the page shows. */
async function signsIn({ username }: Account, page: Page): Promise<void> {
  await page.getByLabel('User name or e-mail').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

/** The editor is that of the account, and has nothing of what the first one wrote. */
async function isOf({ username }: Account, page: Page): Promise<void> {
  await page.getByRole('button', { name: `Menu of ${username}` }).waitFor();
  await editor(page).waitFor();
  assert.equal(await page.getByText('Of the first.').count(), 0);
}

/** The item in another page of the same browser. */
async function openedBy(account: Account, page: Page, id: number | 'new'): Promise<Page> {
  const again = await pages.openBeside(page, account, `/content/${id}`);
  await editor(again).waitFor();
  return again;
}

async function versionsOf(id: number, token: string): Promise<number> {
  const { body } = await call(pages.service().url, 'GET', `/api/content/${id}/versions`, { token });
  return body.data.items.length;
}

it('A session that ended while writing is begun again in place, and the text is saved', async () => {
  const { url, account, id, page } = await writing();
  await typeAtEnd(page, ' Kept.');
  await call(url, 'DELETE', '/api/auth/sessions', { token: account.token });
  pages.service().passTime(2_000);
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  assert.equal(await dialog.getByLabel('User name or e-mail').inputValue(), account.username);
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await saved(page);
  assert.equal((await stored(url, account.token, id)).content, 'Text. Kept.');
});

it('Another account that signs in meanwhile gets a page of its own, and the text waits for its author', async () => {
  const { url } = pages.service();
  const [account, other] = [await newAccount(url), await newAccount(url)];
  const page = await pages.open(account, '/content/new');
  await typeAtEnd(page, 'Of the first.');
  page.once('dialog', (question) => void question.accept());
  const again = page.waitForEvent('load');
  const tab = await page.context().newPage();
  await tab.goto(`${pages.url()}/console/account`);
  await tab.getByRole('button', { name: `Menu of ${account.username}` }).click();
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await signsIn(other, tab);
  await again;
  await isOf(other, page);
  assert.equal(await page.getByText('that was not saved').count(), 0);
  const own = await openedBy(account, page, 'new');
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Of the first.').waitFor();
});

for (const [title, leaves] of [
  ['An author who stays after a sign-out writes nothing in the name of the account that signs in next', true],
  ['An author who stays while another account is signed in saves nothing before signing in again', false],
] as const)
  it(title, async () => {
    const { url } = pages.service();
    const [account, other] = [await newAccount(url), await newAccount(url)];
    const page = await pages.open(account, '/content/new');
    await page.getByRole('textbox', { name: 'Title' }).fill('A title');
    await typeAtEnd(page, 'Of the first.');
    await keeps(page, 'Of the first.');
    // At once, because the click may wait for the page that the question keeps from coming.
    const answered = page.waitForEvent('dialog').then((question) => question.dismiss());
    await page.getByRole('button', { name: `Menu of ${account.username}` }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await answered;
    const again = leaves
      ? page.waitForEvent('load')
      : page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    const asked = page
      .waitForEvent('dialog')
      .then((question) => (leaves ? question.accept() : question.dismiss()));
    const tab = await page.context().newPage();
    await tab.goto(`${pages.url()}/console/account`);
    await signsIn(other, tab);
    await asked;
    await again;
    if (leaves) return isOf(other, page);
    await page.keyboard.press('Control+s');
    await page.getByText('Saving …').waitFor();
    await signsIn(account, page);
    await saved(page);
    for (const [each, count] of [
      [other, 0],
      [account, 1],
    ] as const) {
      const list = `/api/content?status=draft&author=${each.id}`;
      const { token } = await login(url, each.username);
      assert.equal((await call(url, 'GET', list, { token })).body.data.total, count);
    }
  });

it('A text that was not saved before a crash is offered to its account, and to no other', async () => {
  const { url, account, id, page } = await writing({ content: 'Text.' });
  const other = await newAccount(url);
  await pages.service().store.write(setRole, { account: other.username, role: 'editor', now: Date.now() });
  await typeAtEnd(page, ' Lost?');
  await keeps(page, 'Lost?');
  await crash(page);
  const strange = await openedBy(other, page, id);
  assert.equal(await strange.getByText('that was not saved').count(), 0);
  const own = await openedBy(account, page, id);
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Text. Lost?').waitFor();
  await own.keyboard.press('Control+s');
  await own.getByText('Unpublished changes').waitFor();
  assert.equal((await stored(url, account.token, id, '/draft')).content, 'Text. Lost?');
  await own.waitForFunction(() => !Object.keys(localStorage).some((key) => key.startsWith('stoa.unsaved.')));
});

it('New items that two tabs write are both offered after a crash, the newer one first', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/content/new');
  const other = await page.context().newPage();
  await other.goto(`${pages.url()}/console/content/new`);
  for (const [tab, content] of [
    [page, 'Of one tab.'],
    [other, 'Of the other tab.'],
  ] as const) {
    await typeAtEnd(tab, content);
    await keeps(tab, content);
  }
  await crash(page);
  await crash(other);
  const own = await openedBy(account, page, 'new');
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Of the other tab.').waitFor();
  await own.getByRole('textbox', { name: 'Title' }).fill('Saved first');
  await own.keyboard.press('Control+s');
  await saved(own);
  await own.goto(`${pages.url()}/console/content/new`);
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Of one tab.').waitFor();
});

it('A text that an earlier version of the console kept is saved, and takes no language away', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/forgotten');
  const written = { title: 'Kept before', content: 'Of then.' };
  const settings = { slug: '', category: '', tags: [], visibility: 'public', publish_at: null };
  const kept = { at: Date.now(), written, was: { title: '' }, sent: { ...written, ...settings } };
  await page.evaluate(([name, value]) => localStorage.setItem(name, value), [
    `stoa.unsaved.${account.id}.new.1-2-3-4`,
    JSON.stringify(kept),
  ] as const);
  await page.goto(`${pages.url()}/console/content/new`);
  await page.getByRole('textbox', { name: 'Language' }).fill('de');
  await page.getByRole('button', { name: 'Continue with it' }).click();
  await page.getByText('Of then.').waitFor();
  await page.keyboard.press('Control+s');
  await page.waitForURL(/content\/\d+$/);
  await saved(page);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  const { content, language } = await stored(url, account.token, id);
  assert.deepEqual([content, language], ['Of then.', 'de']);
});

it('A text of before a crash stays until its author has answered, whatever is typed before that', async () => {
  const { account, id, page } = await writing();
  await typeAtEnd(page, ' Lost?');
  await keeps(page, 'Lost?');
  await crash(page);
  const own = await openedBy(account, page, id);
  const title = own.getByRole('textbox', { name: 'Title' });
  await typeAtEnd(own, '!');
  await keeps(own, 'Text.!');
  // What is taken back is not unsaved, and takes no other text with it.
  await own.keyboard.press('Backspace');
  await saved(own);
  await typeAtEnd(own, ' Since.');
  await title.fill('Since');
  await keeps(own, 'Text. Since.');
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Text. Lost?').waitFor();
  assert.equal(await title.inputValue(), 'Since');
  // The text that it replaced is offered too.
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Text. Since.').waitFor();
  await own.getByRole('button', { name: 'Discard it' }).press('Enter');
  await own.getByRole('button', { name: 'Discard it' }).waitFor({ state: 'detached' });
  await own.getByRole('heading', { level: 1 }).and(own.locator(':focus')).waitFor();
  await keeps(own, 'Text. Since.');
});

it('What is typed during a save is offered later, also where the author leaves before the answer', async () => {
  const { url, account, id, page } = await writing();
  const answered = Promise.withResolvers<void>();
  await page.route(`**/api/content/${id}`, async (route) => {
    if (route.request().method() === 'PUT') await answered.promise;
    return route.continue();
  });
  await typeAtEnd(page, ' Sent.');
  await page.keyboard.press('Control+s');
  await page.getByText('Saving …').waitFor();
  await page.keyboard.type(' Typed.');
  page.once('dialog', (question) => void question.accept());
  await page.locator('.content-back').click();
  await page.getByRole('heading', { name: 'Content', exact: true }).waitFor();
  const before = await page.evaluate(() => JSON.stringify(localStorage));
  answered.resolve();
  await page.waitForFunction((before) => JSON.stringify(localStorage) !== before, before);
  await page.goto(`${pages.url()}/console/content/${id}`);
  await page.getByRole('button', { name: 'Continue with it' }).click();
  await page.getByText('Text. Sent. Typed.').waitFor();
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.equal((await stored(url, account.token, id)).content, 'Text. Sent. Typed.');
});

it('Two tabs that write one item keep a text each', async () => {
  const { account, id, page } = await writing();
  await typeAtEnd(page, ' Of one tab.');
  await keeps(page, 'Of one tab.');
  const other = await openedBy(account, page, id);
  await typeAtEnd(other, ' Of the other tab.');
  await keeps(other, 'Of the other tab.');
  assert.ok(await other.evaluate(() => JSON.stringify(localStorage).includes('Of one tab.')));
  await crash(page);
  await crash(other);
  const own = await openedBy(account, page, id);
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await own.getByText('Text. Of the other tab.').waitFor();
});

/** How an editor loses the right to change the item of an author. */
const LOST_ITEMS: Record<string, (editor: Account, author: Account, id: number) => Promise<unknown>> = {
  'that is in the trash': (_, { token }, id) =>
    call(pages.service().url, 'DELETE', `/api/content/${id}`, { token }),
  'that may only be read': ({ username }) =>
    pages.service().store.write(setRole, { account: username, role: 'member', now: Date.now() }),
};
for (const [which, lose] of Object.entries(LOST_ITEMS))
  it(`What was typed in an item ${which} is offered at its address, and goes on as a new item`, async () => {
    const { url } = pages.service();
    const [account, author] = [await newWithRole(pages.service(), 'editor'), await newAccount(url)];
    const { id } = await newItem(url, author.token, { content: 'Text.' });
    const page = await pages.open(account, `/content/${id}`);
    await typeAtEnd(page, ' Mine.');
    await keeps(page, 'Mine.');
    await lose(account, author, id);
    page.once('dialog', (question) => void question.accept());
    await page.locator('.content-back').click();
    await page.getByRole('heading', { name: 'Content', exact: true }).waitFor();
    await page.goto(`${pages.url()}/console/content/${id}`);
    await page.getByRole('button', { name: 'Continue with it in a new item' }).click();
    await page.getByRole('button', { name: 'Continue with it', exact: true }).click();
    await page.getByText('Text. Mine.').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Again');
    await page.keyboard.press('Control+s');
    await saved(page);
    await page.waitForFunction(
      () => !Object.keys(localStorage).some((key) => key.startsWith('stoa.unsaved.')),
    );
  });

it('A text that nobody asked for in 30 days is dropped, whatever item it is of', async () => {
  const { id, page } = await writing();
  const [old, young] = ['stoa.unsaved.1.999999.old', 'stoa.unsaved.1.999999.young'];
  await page.evaluate(
    (kept) => {
      for (const [key = '', days] of kept)
        localStorage.setItem(
          key,
          JSON.stringify({ at: Date.now() - Number(days) * 86_400_000, written: { content: 'x' } }),
        );
    },
    [
      [old, '31'],
      [young, '29'],
    ],
  );
  await page.goto(`${pages.url()}/console/content/${id}`);
  await editor(page).waitFor();
  const kept = await page.evaluate(() => Object.keys(localStorage));
  assert.deepEqual([kept.includes(old), kept.includes(young)], [false, true]);
});

it('A text is kept while it is typed without a pause', async () => {
  const { page } = await writing();
  await installClock(page);
  await page.reload();
  await typeAtEnd(page, ' One');
  await page.clock.runFor(500);
  await page.keyboard.type(' two');
  await page.clock.runFor(500);
  assert.ok(await page.evaluate(isKept));
});

it('A text of before a crash replaces no save of after it unseen', async () => {
  const { url, account, id, page } = await writing();
  await typeAtEnd(page, ' Mine.');
  await keeps(page, 'Mine.');
  await crash(page);
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'Theirs.' } });
  const own = await openedBy(account, page, id);
  const take = own.getByRole('button', { name: 'Continue with it' });
  await take.waitFor();
  const shown = Promise.withResolvers<void>();
  await own.route('**/console/assets/*', async (route) => {
    await shown.promise;
    return route.continue();
  });
  await take.click();
  await own.getByText('Text. Mine.').waitFor();
  await own.keyboard.press('Control+s');
  shown.resolve();
  for (let time = 0; time < 2; time++) {
    await stale(own).getByText('Theirs.').waitFor();
    await stale(own).getByRole('button', { name: 'Cancel' }).click();
    await noDialog(own);
    await own.keyboard.press('Control+s');
  }
  await stale(own).getByText('Theirs.').waitFor();
  await stale(own).getByText('Text. Mine.').waitFor();
  assert.equal((await stored(url, account.token, id)).content, 'Theirs.');
  await stale(own).getByRole('button', { name: 'Save the right side' }).click();
  await saved(own);
  assert.equal((await stored(url, account.token, id)).content, 'Text. Mine.');
});

it('A text over a draft is taken without a question where only its item was changed since', async () => {
  const { url, account, id, page } = await writing({ content: 'Text.' });
  await call(url, 'PUT', `/api/content/${id}/draft`, { token: account.token, body: { content: 'Draft.' } });
  const first = await openedBy(account, page, id);
  await typeAtEnd(first, ' Kept.');
  await keeps(first, 'Kept.');
  await crash(first);
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'Theirs.' } });
  const again = await openedBy(account, page, id);
  await again.getByRole('button', { name: 'Continue with it' }).click();
  await editor(again).getByText('Draft. Kept.', { exact: true }).waitFor();
  await again.keyboard.press('Control+s');
  await saved(again);
});

it('Settings of before a crash replace none of a later save unseen', async () => {
  const { url, account, id, page } = await writing({ title: 'One', tags: ['kept'], status: 'draft' });
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await page.getByRole('combobox', { name: 'Tags' }).fill('mine');
  await page.keyboard.press('Enter');
  await keeps(page, '"mine"');
  await crash(page);
  const theirs = { title: 'Theirs', tags: ['kept', 'theirs'] };
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: theirs });
  const own = await openedBy(account, page, id);
  await own.getByRole('button', { name: 'Continue with it' }).click();
  await stale(own).getByRole('row', { name: 'Title Theirs Mine' }).waitFor();
  await stale(own).getByRole('button', { name: 'Save the right side' }).click();
  await saved(own);
  const { title, tags } = await stored(url, account.token, id);
  assert.deepEqual([title, tags], ['Mine', ['kept', 'theirs', 'mine']]);
});

const failing = (status: number, error: string) => (route: Route) =>
  route.fulfill({ status, json: { code: status, message: error, data: { error } } });
/** What is lost after the service has made a new item: the answer to this method, and how. */
const LOST: Record<string, readonly [method: string, lose: (route: Route) => Promise<void>]> = {
  'is lost': ['POST', (route) => route.abort()],
  'is lost by a proxy': [
    'POST',
    (route) => route.fulfill({ status: 504, body: '<html>504 Gateway Time-out</html>' }),
  ],
  'is a fault of the service': ['POST', failing(500, 'internal')],
  'is that it is busy': ['POST', failing(503, 'unavailable')],
  'is that the request is under way': ['POST', failing(409, 'request_in_progress')],
  'comes before a read that is refused': ['GET', failing(429, 'too_many_requests')],
};
for (const [how, [method, lose]] of Object.entries(LOST))
  it(`A new item whose answer ${how} is saved once when the connection is back, with what was typed meanwhile`, async () => {
    const { url } = pages.service();
    const account = await newAccount(url);
    const page = await pages.open(account, '/content/new');
    await editor(page).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Only once');
    let isOnline = false;
    await page.route(/\/api\/content(\/\d+)?$/, async (route) => {
      if (route.request().method() !== method || isOnline) return route.continue();
      await route.fetch();
      await lose(route);
    });
    await page.keyboard.press('Control+s');
    await page.getByText('No answer came in time.').waitFor();
    await typeAtEnd(page, 'Typed offline.');
    isOnline = true;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await saved(page);
    const { body } = await call(url, 'GET', `/api/content?status=draft&author=${account.id}`, {
      token: account.token,
    });
    assert.equal(body.data.total, 1);
    assert.equal((await stored(url, account.token, body.data.items[0].id)).content, 'Typed offline.');
  });

for (const [when, isAnswered] of [
  ['before its answer came', false],
  ['after its answer was lost', true],
] as const)
  it(`A new item whose page ends ${when} is made once when its text is saved from another page`, async () => {
    const { url } = pages.service();
    const account = await newAccount(url);
    const page = await pages.open(account, '/content/new');
    await page.getByRole('textbox', { name: 'Title' }).fill('Only once');
    const made = Promise.withResolvers<void>();
    await page.route('**/api/content', async (route) => {
      await route.fetch();
      made.resolve();
      if (isAnswered) await route.abort();
    });
    await typeAtEnd(page, 'Sent.');
    await page.keyboard.press('Control+s');
    await made.promise;
    if (isAnswered) await page.getByText('No answer came in time.').waitFor();
    await typeAtEnd(page, ' Typed.');
    await keeps(page, 'Sent. Typed.');
    await crash(page);
    const own = await openedBy(account, page, 'new');
    await own.getByRole('button', { name: 'Continue with it' }).click();
    await own.getByText('Sent. Typed.').waitFor();
    await own.keyboard.press('Control+s');
    await saved(own);
    const { body } = await call(url, 'GET', `/api/content?status=draft&author=${account.id}`, {
      token: account.token,
    });
    assert.equal(body.data.total, 1);
    assert.equal((await stored(url, account.token, body.data.items[0].id)).content, 'Sent. Typed.');
    assert.equal(await own.evaluate(isKept), false);
  });

/** Refuses the reads of an item that follow a write, until it is told to stop. */
async function refuseReadsAfterWrites(page: Page, id: number): Promise<() => Promise<void>> {
  let isWritten = false;
  const all = new RegExp(`/api/content/${id}(/\\w+)?$`);
  await page.route(all, async (route) => {
    if (route.request().method() === 'GET' && isWritten) return failing(503, 'unavailable')(route);
    isWritten = true;
    return route.continue();
  });
  return () => page.unroute(all);
}

it('A save whose result cannot be read is no save of another author when it is made again', async () => {
  const { url, account, id, page } = await writing();
  await typeAtEnd(page, ' More.');
  const stop = await refuseReadsAfterWrites(page, id);
  await page.keyboard.press('Control+s');
  await page.getByText('No answer came in time.').waitFor();
  await page.keyboard.insertText(' Typed since.');
  await stop();
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.equal(await stale(page).count(), 0);
  assert.equal((await stored(url, account.token, id)).content, 'Text. More. Typed since.');
});

const UNTOLD: Record<string, (page: Page, id: number) => Promise<() => Promise<void>>> = {
  'whose answer is lost': async (page, id) => {
    await page.route(`**/api/content/${id}/publish*`, async (route) => {
      await route.fetch();
      await route.abort();
    });
    return () => page.unroute(`**/api/content/${id}/publish*`);
  },
  'whose result cannot be read': refuseReadsAfterWrites,
};
for (const [how, meddle] of Object.entries(UNTOLD))
  it(`A publication ${how} says that it may not be done, and another click finds that it is`, async () => {
    const { url, account, id, page } = await writing();
    const stop = await meddle(page, id);
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    await page.getByText('No answer came, so it may not be done.').waitFor();
    assert.equal(await page.getByText('Draft', { exact: true }).count(), 1);
    await stop();
    await publish.click();
    await page.getByText('Published', { exact: true }).waitFor();
    assert.equal(await stale(page).count(), 0);
    const { body } = await call(url, 'GET', `/api/content/${id}`, { token: account.token });
    assert.equal(body.data.version, 2);
  });

it('An author is told where the browser has no room for what is not saved', async () => {
  const { page } = await writing();
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await typeAtEnd(page, ' More.');
  await page.getByText('This browser keeps no unsaved text.').waitFor();
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.equal(await page.getByText('This browser keeps no unsaved text.').count(), 0);
});

it('A new item is saved at a plain HTTP address that is not localhost, where browsers have less', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.openEmpty(undefined);
  const there = pages.url().replace('localhost', 'stoa.test');
  // The cookie of a session needs HTTPS, so this session is that of the page.
  await page.goto(`${there}/console/content/new`);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  await page.getByText('This address is plain HTTP').waitFor();
  await page.getByLabel('User name or e-mail').fill(account.username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).fill('From a home server');
  await page.keyboard.press('Control+s');
  await saved(page);
});

it('A save without a network is made once when the network is back', async () => {
  const { url, account, id, page } = await writing();
  const before = await versionsOf(id, account.token);
  await typeAtEnd(page, ' More.');
  await page.context().setOffline(true);
  await page.keyboard.press('Control+s');
  await page.getByText('It is saved when you are back').waitFor();
  await page.context().setOffline(false);
  await saved(page);
  assert.equal((await stored(url, account.token, id)).content, 'Text. More.');
  assert.equal(await versionsOf(id, account.token), before + 1);
});

it('What an author asks for without a network is there when the network is back', async () => {
  const { url, account, id, page } = await writing();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Publish later …' }).click();
  await page.getByRole('alert').getByText('There is no connection.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('dialog', { name: 'Publish later …' }).getByRole('button', { name: 'Cancel' }).click();
  await noDialog(page);
  await typeAtEnd(page, ' Mine.');
  await call(url, 'PUT', `/api/content/${id}`, { token: account.token, body: { content: 'Theirs.' } });
  await page.route(`**/api/content/${id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    await page.context().setOffline(true);
    return route.fulfill({ response });
  });
  await page.keyboard.press('Control+s');
  await page.getByRole('alert').getByText('There is no connection.').waitFor();
  await page.context().setOffline(false);
  await stale(page).getByText('Theirs.').waitFor();
});

for (const status of ['draft', 'published']) {
  it(`A save of a ${status} item whose answer is lost is made once, and is no save of another one`, async () => {
    const { url, account, id, page } = await writing({ content: 'Text.', status });
    const part = status === 'draft' ? '' : '/draft';
    let [writes, isOnline] = [0, false];
    await page.route(`**/api/content/${id}${part}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const answer = await route.fetch();
      if (answer.ok()) writes++;
      return isOnline ? route.fulfill({ response: answer }) : route.abort();
    });
    await typeAtEnd(page, ' More.');
    await page.keyboard.press('Control+s');
    await page.getByText('No answer came in time.').waitFor();
    await page.keyboard.type(' Typed offline.');
    isOnline = true;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await saved(page);
    assert.equal(await stale(page).count(), 0);
    assert.equal((await stored(url, account.token, id, part)).content, 'Text. More. Typed offline.');
    assert.equal(writes, 2);
  });
}

it('Leaving asks only while something is unsaved, by a link, by Back, by a reload and by closing', async () => {
  const { account, id, page } = await writing({ content: 'Text.' });
  const here = new RegExp(`content/${id}$`);
  const asked: string[] = [];
  const asks = async (leave: () => unknown) => {
    const answered = page.waitForEvent('dialog').then((dialog) => {
      asked.push(dialog.type());
      return dialog.dismiss();
    });
    await Promise.all([answered, leave()]);
    assert.match(page.url(), here);
  };
  const list = page.getByRole('heading', { name: 'Content', exact: true });
  const link = () => page.locator('.content-back').click();
  const back = () => page.evaluate(() => history.back());
  const reload = () => page.evaluate(() => location.reload());
  // The way to the item begins in the list, so that Back stays in the console.
  await page.goto(`${pages.url()}/console/content?author=${account.id}`);
  await page.getByRole('link', { name: 'A title' }).click();
  await typeAtEnd(page, ' More.');
  for (const leave of [link, back, reload, () => page.close({ runBeforeUnload: true })]) {
    await page.keyboard.press('End');
    await asks(leave);
  }
  assert.deepEqual(asked, ['confirm', 'confirm', 'beforeunload', 'beforeunload']);
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.keyboard.press('Control+s');
  await saved(page);
  await link();
  await list.waitFor();
  await back();
  await editor(page).waitFor();
  await typeAtEnd(page, '!');
  // What is taken back is not unsaved.
  await page.keyboard.press('Backspace');
  await back();
  await list.waitFor();
  await page.goForward();
  await page.reload();
  await editor(page).waitFor();
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
  assert.equal(asked.length, 4, 'What is saved is left without a question.');
});

it('A new item gets its address without a question, whatever is typed while it is saved', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const page = await pages.open(account, '/content/new');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole('textbox', { name: 'Title' }).fill('A title');
  await typeAtEnd(page, 'Sent.');
  const { promise: typed, resolve: go } = Promise.withResolvers<void>();
  await page.route('**/api/content', async (route) => {
    await typed;
    return route.continue();
  });
  await page.keyboard.press('Control+s');
  await page.keyboard.type(' Typed.');
  go();
  await page.waitForURL(/content\/\d+$/);
  await page.getByText('Not saved').waitFor();
  await page.keyboard.press('Control+s');
  await saved(page);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  assert.equal((await stored(url, account.token, id)).content, 'Sent. Typed.');
  assert.deepEqual(asked, []);
});

it('The end of an access token is not seen by an author who types on', async () => {
  const { url, account, id, page } = await writing();
  await installClock(page);
  await page.reload();
  await typeAtEnd(page, ' Before.');
  const asked: number[] = [];
  page.on('response', (answer) => answer.url().endsWith('/refresh') && asked.push(answer.status()));
  await page.evaluate(() => {
    const seen: string[] = [];
    Reflect.set(globalThis, 'seen', seen);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (
            node instanceof Element &&
            (node.matches('dialog, .notice') || node.querySelector('dialog, .notice'))
          )
            seen.push(node.outerHTML);
    }).observe(document.body, { childList: true, subtree: true });
  });
  const life = ACCESS_TOKEN_SECONDS * 1000 + 60_000;
  pages.service().passTime(life);
  await page.clock.fastForward(life);
  await page.keyboard.type(' After.');
  await page.keyboard.press('Control+s');
  await saved(page);
  await page.keyboard.type(' Later.');
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.deepEqual(await page.evaluate(() => Reflect.get(globalThis, 'seen')), []);
  assert.deepEqual(asked, [200]);
  const { token } = await login(url, account.username);
  assert.equal((await stored(url, token, id)).content, 'Text. Before. After. Later.');
});
