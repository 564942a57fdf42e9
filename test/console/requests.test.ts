// Needs: a browser.

import assert from 'node:assert/strict';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { call, newAccount, newItem } from '../support/client.ts';
import { run } from '../support/command.ts';
import { assertAccessible, showView } from '../support/console/looks.ts';
import { consolePages } from '../support/console/pages.ts';
import { VIEWS } from '../support/console/views.ts';
import { temporaryFolder } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';

const pages = consolePages(async () => ({ WEBHOOK_PRIVATE: 'on' }));
const ROOT = new URL('../../', import.meta.url);
const path = (name: string) => new URL(name, ROOT).pathname;

/** Means something to shells, to TypeScript and to addresses. */
const HOSTILE_TAG = `it's "two" $(touch made) \`touch made\` \\' %41 ü`;
/** Its last line is a command. */
const HOSTILE = `${HOSTILE_TAG} & ; \${1}\ntouch made`;
/** Views without a request: forms for something new, what is done to the own account, and what may come first. */
const WITHOUT = ['/webhooks/new', '/account/data', '/welcome'];

/** The texts of one request of a view, and how many there are. */
async function copied(page: Page, request = ''): Promise<{ curl: string; typeScript: string }> {
  const menu = page.locator('#requests');
  if (!(await menu.isVisible()))
    await page.getByRole('button', { name: 'Copy as curl or TypeScript' }).click();
  const row = menu.getByRole('listitem').filter({ hasText: request }).first();
  const copy = async (kind: string) => {
    await row.getByRole('button', { name: `Copy as ${kind}` }).click();
    await menu.getByText('Copied.').waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  return { curl: await copy('curl'), typeScript: await copy('TypeScript') };
}

/** A folder in which programs find the client and the types of Node.js. */
async function programs(t: TestContext, texts: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t);
  await symlink(path('node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, `${name}.mts`), text);
  const config = {
    extends: path('tsconfig.json'),
    compilerOptions: { typeRoots: [path('node_modules/@types')] },
    include: ['*.mts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const checked = await run(path('node_modules/.bin/tsc'), ['--project', folder]);
  assert.equal(checked.code, 0, checked.stdout);
  return folder;
}

it('What a page copies as curl and as TypeScript gets what the page shows, whatever is in its filters', async (t) => {
  const { url } = pages.service();
  const [admin, person] = [await newWithRole(pages.service(), 'admin'), await newAccount(url)];
  await newItem(url, admin.token, { title: 'The one', tags: [HOSTILE_TAG] });
  await newItem(url, admin.token, { title: 'Another one' });
  const views = {
    content: `/content?${new URLSearchParams({ tag: HOSTILE_TAG, sort: 'title' })}`,
    nothing: `/content?${new URLSearchParams({ keyword: HOSTILE })}`,
    person: `/people/${person.id}`,
    trail: `/trail?account=${person.id}&event=signed_in&until=2100-01-01T00:00:00.000Z`,
  };
  const texts: Record<string, { curl: string; typeScript: string }> = {};
  const shown: Record<string, string> = {};
  const page = await pages.open(admin, '/account');
  await page.locator('.areas').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [name, view] of Object.entries(views)) {
    await showView(page, view);
    await page.getByText('Loading …').waitFor({ state: 'detached' });
    shown[name] = await page.locator('main').innerText();
    texts[name] = await copied(page);
  }

  const typeScript = Object.entries(texts).map(([name, text]) => [
    name,
    `${text.typeScript}console.error(JSON.stringify(result.data));\n`,
  ]);
  const folder = await programs(t, Object.fromEntries(typeScript));
  const options = { cwd: folder, settings: { STOA_TOKEN: admin.token } };
  const answers: Record<string, object> = {};
  for (const [name, { curl }] of Object.entries(texts)) {
    const asked = await run('sh', ['-c', curl.replace(/^curl/, 'curl -s')], options);
    const { code, data } = JSON.parse(asked.stdout);
    assert.equal(code, 200, asked.stdout);
    const program = ['--conditions=stoa-source', join(folder, `${name}.mts`)];
    const ran = await run(process.execPath, program, options);
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(JSON.parse(ran.stderr), data, name);
    answers[name] = data;
  }
  assert.deepEqual(
    (await readdir(folder)).filter((file) => file === 'made'),
    [],
  );

  const { content, nothing, person: one, trail } = Object(answers);
  assert.deepEqual([content.items[0].title, content.total, nothing.total], ['The one', 1, 0]);
  assert.match(String(shown.content), /The one/);
  assert.match(String(shown.content), /^1 item$/m);
  assert.match(String(shown.nothing), /^0 items$/m);
  assert.deepEqual([one.username, one.email], [person.username, person.email]);
  assert.ok(shown.person?.includes(one.email));
  assert.deepEqual(
    [trail.total, trail.items[0].event, trail.items[0].account.id],
    [1, 'signed_in', person.id],
  );
  assert.match(String(shown.trail), /^1 event$/m);
});

it('Every view that reads has the control, by keyboard, and what it copies compiles and holds no secret', async (t) => {
  const { url } = pages.service();
  const admin = await newWithRole(pages.service(), 'admin');
  const { token } = admin;
  const { id } = await newItem(url, token);
  await call(url, 'PUT', `/api/content/${id}`, { token, body: { content: 'Other.' } });
  const body = { url: pages.service().url, events: ['*'] };
  const webhook = (await call(url, 'POST', '/api/webhooks', { token, body })).body.data.id;
  const ids: Record<string, number> = { content: id, people: admin.id, webhooks: webhook };
  const page = await pages.open(admin, '/account');
  await page.locator('.areas').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const control = page.getByRole('button', { name: 'Copy as curl or TypeScript' });
  const texts: Record<string, string> = {};
  for (const { path: view } of VIEWS) {
    const [, area = ''] = view.split('/');
    await showView(page, view.replace(':id', String(ids[area])));
    if (WITHOUT.includes(view)) {
      assert.equal(await control.count(), 0, view);
      continue;
    }
    await control.press('Enter');
    const rows = page.locator('#requests').getByRole('listitem');
    await rows.first().waitFor();
    for (const line of await rows.locator('code').allInnerTexts()) {
      const { curl, typeScript } = await copied(page, line);
      assert.match(curl, /^curl '[^']+' -H "Authorization: Bearer \$STOA_TOKEN"\n$/, view);
      assert.doesNotMatch(curl + typeScript, /stoa_|eyJ|whsec_/, view);
      texts[line.replaceAll(/\W+/g, '_')] = typeScript;
    }
    await page.keyboard.press('Escape');
    await control.and(page.locator(':focus')).waitFor();
  }
  assert.ok(Object.keys(texts).length > 20, Object.keys(texts).join(' '));
  await programs(t, texts);
});

it('Whatever is in an address, a shell takes it as one word and runs nothing of it', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [path('console/src/shell/request-text.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['stoa-source'],
    write: false,
  });
  const built = outputFiles[0]?.text ?? '';
  const { curlOf } = await import(`data:text/javascript,${encodeURIComponent(built)}`);
  const cwd = await temporaryFolder(t);
  const below = `http://localhost/${HOSTILE}`;
  const request = { operation: 'getTagRenaming', input: { path: { name: HOSTILE } } };
  const command: string = curlOf(below, request);
  const asked = command.replace(/^curl/, "printf '%s\\0'");
  const { stdout } = await run('sh', ['-c', asked], { cwd, settings: { STOA_TOKEN: 'a b' } });
  const word = `${below}/api/content/tags/${encodeURIComponent(HOSTILE)}`;
  assert.deepEqual(stdout.split('\0'), [word, '-H', 'Authorization: Bearer a b', '']);
  assert.deepEqual(await readdir(cwd), []);
});

it('The control breaks no rule of WCAG 2.2 AA in any width, speaks German, and shows what it may not copy', async () => {
  const admin = await newWithRole(pages.service(), 'admin');
  const page = await pages.open(admin, `/people/${admin.id}`);
  await page.getByRole('button', { name: 'Copy as curl or TypeScript' }).click();
  await page
    .getByRole('button', { name: /^Copy as curl GET/ })
    .first()
    .waitFor();
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page
    .getByRole('button', { name: /^Copy as curl GET/ })
    .first()
    .click();
  assert.match(await page.locator('#requests pre').innerText(), /^curl '/);
  await assertAccessible(page, 'requests', [1280, 390, 320]);
  await page.evaluate(() => localStorage.setItem('stoa.language', 'de'));
  await page.reload();
  await page.getByRole('button', { name: 'Als curl oder TypeScript kopieren' }).click();
  await page
    .getByRole('button', { name: /^Als TypeScript kopieren GET/ })
    .first()
    .waitFor();
});
