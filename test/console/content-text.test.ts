// Needs: a browser.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { EditorState } from '@codemirror/state';
import { lineEndsOf } from '../../console/src/content/line-ends.ts';
import { htmlOf } from '../../src/services/rendering/markdown.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { editor, saved } from '../support/console/editor.ts';
import { showView } from '../support/console/looks.ts';
import { consolePages } from '../support/console/pages.ts';

const pages = consolePages();
const root = join(import.meta.dirname, '../..');

/** Texts whose bytes an editor is likely to change. */
const ODD = [
  'one\r\ntwo\r\n',
  'one\r\ntwo\nthree\rfour\r\n\r\n',
  '\r',
  'spaces at the end   \n\t\n  ',
  '\n\n\nno end',
  '\u2028line\u2029paragraph\u0085next\u00a0nbsp\u200bzero\u00ad',
  '\ufeffmark\u0001\u001b\u007f',
  '👩‍👩‍👧‍👦 e\u0301 \u202eright\u202c',
];

/** Looked for once: so many folders take as long as all else of a test. */
const FILES = markdownFiles();
function markdownFiles(): string[] {
  const found = globSync('node_modules/**/*.md', { cwd: root }).toSorted();
  return found
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .filter((text) => text !== '' && !text.includes('\0') && Buffer.byteLength(text) < 1024 * 1024)
    .slice(0, 500);
}

/** Each of so many texts. */
const each = (step: number, texts: readonly string[]) => texts.filter((_, number) => number % step === 0);

/** The text as the editor holds it, and as it is read from there. */
function throughEditor(text: string): string {
  const { shown, separator, restore } = lineEndsOf(text);
  const extensions = separator ? [EditorState.lineSeparator.of(separator)] : [];
  return restore(EditorState.create({ doc: shown, extensions }).sliceDoc());
}

it('No byte of 1,000 Markdown texts changes in the editor', () => {
  assert.equal(FILES.length, 500);
  for (const text of [...FILES, ...FILES.map((text) => text.replaceAll(/\r?\n/g, '\r\n')), ...ODD])
    assert.equal(throughEditor(text), text);
});

it('No byte of 100 Markdown texts changes in the editor of a browser, but for the key that was pressed', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { status: 'draft' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).waitFor();
  // The lines of all of them are those of the test before: what a browser adds is the same for each kind of text.
  const files = each(10, FILES);
  const texts = [...files, ...files.map((text) => text.replaceAll(/\r?\n/g, '\r\n')), ...ODD];
  const changed = await page.evaluate(async (texts) => {
    // The module of the console that has the editor: the view has loaded it.
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    const modules = await Promise.all(
      loaded.filter((name) => name.endsWith('.js')).map((name) => import(name)),
    );
    const { openTextEditor } = modules.find((each) => 'openTextEditor' in each);
    const host = document.querySelector('main')?.appendChild(document.createElement('div'));
    const opened = openTextEditor(host, { text: '', label: 'Text', hint: '', onChange: () => {} });
    const changed: { number: number; read: string }[] = [];
    for (const [number, text] of texts.entries()) {
      opened.replace(text);
      const untouched = opened.text();
      opened.focus();
      document.execCommand('insertText', false, '#');
      // The editor hears of the key after this task of the browser.
      await Promise.resolve();
      const read = opened.text();
      if (untouched !== text || read !== `#${text}`) changed.push({ number, read });
    }
    return changed;
  }, texts);
  for (const { number, read } of changed) assert.equal(read, `#${texts[number]}`);
  assert.equal(texts.length, 108);
});

it('Enter keeps the indentation of a line, and Backspace takes two spaces of it', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const { id } = await newItem(url, token, { status: 'draft', content: '' });
  const page = await pages.open(account, `/content/${id}`);
  await editor(page).click();
  await page.keyboard.type('    One');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('two');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Control+s');
  await saved(page);
  const { body } = await call(url, 'GET', `/api/content/${id}`, { token });
  assert.equal(body.data.content, '    One\n  tw');
});

/** Texts one after the other, in as few as an item has room for. A line between two ends what the first began. */
function joined(texts: readonly string[]): string[] {
  const all: string[] = [];
  for (const text of texts) {
    const longer = `${all.at(-1) ?? ''}\n\n-->\n\n${text}`;
    if (all.length > 0 && Buffer.byteLength(longer) < 1_000_000) all[all.length - 1] = longer;
    else all.push(text);
  }
  return all;
}

it('The preview of 50 Markdown files breaks no policy of the page and loads nothing from elsewhere', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const page = await pages.open(account, '/content');
  for (const content of joined(each(10, FILES))) {
    const { id } = await newItem(url, token, { content, status: 'draft' });
    await page.goto(`${pages.url()}/console/content/${id}`);
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('.content-preview h2').first().waitFor({ state: 'attached' });
    assert.ok((await page.locator('.content-preview h2').count()) > 50);
    assert.equal(await page.locator('.notice-bad').count(), 0);
  }
});

it('A key changes its place of a text, and all other bytes are saved as they were', async () => {
  const { url } = pages.service();
  const { token, ...account } = await newAccount(url);
  const page = await pages.open(account, '/content');
  await page.locator('.areas').waitFor();
  for (const text of [...ODD, ...FILES.slice(0, 4)]) {
    const { id } = await newItem(url, token, { content: text, status: 'draft' });
    await showView(page, `/content/${id}`);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('#');
    await page.keyboard.press('Control+s');
    await saved(page);
    const { body } = await call(url, 'GET', `/api/content/${id}`, { token });
    assert.equal(body.data.content, `${text}#`);
  }
});

const RUN = 'globalThis.ran=1';
const WRAPPED: readonly ((run: string) => string)[] = [
  (run) => `<script>${run}</script>`,
  (run) => `<img src=x onerror="${run}">`,
  (run) => `<svg onload="${run}"><animate onbegin="${run}" attributeName=x dur=1s></svg>`,
  (run) => `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  (run) => `[link](javascript:${run})`,
  (run) => `<a href="java&#115;cript:${run}">x</a>`,
  (run) => `<details open ontoggle="${run}">x</details>`,
  (run) =>
    `<math><mtext><table><mglyph><style><img src=x onerror="${run}"></style></mglyph></table></mtext></math>`,
  (run) => `<form action="javascript:${run}"><button autofocus onfocus="${run}">x</button></form>`,
  (run) => `![x](https://example.org/x.png" onerror="${run})`,
];
/** What a careless filter overlooks. The meaning for a browser stays. */
const WRITTEN: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/<(\w+)/g, (_, name: string) => `<${name.toUpperCase()}`),
  (text) => text.replaceAll(/ (on\w+)=/g, '\n$1\t=\n'),
  (text) => text.replaceAll(/<(\w+) /g, '<$1/'),
  (text) => text.replaceAll('javascript:', 'JaVa\tScRiPt:'),
  (text) => text.replaceAll('javascript:', '&#x6A;avascript&colon;'),
  (text) => text.replaceAll('"', ''),
  (text) => `<div>${text}`,
  (text) => `> - ${text}`,
  (text) => text.replaceAll('</', '<//></'),
];
const AROUND = ['', '\n\n', '"><', "'>", '`', '</title>', '<!--', '</textarea>', '&lt;', '| a |\n| - |\n| '];

it('A thousand texts that want to run something run nothing in the preview, nor 200 of them in the list', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const texts = WRITTEN.flatMap((write) =>
    WRAPPED.flatMap((wrap) => AROUND.map((before) => `${before}${write(wrap(RUN))}`)),
  );
  assert.equal(texts.length, 1_000);
  const item = (content: string) => ({
    title: content.slice(0, 200),
    content,
    tags: [content.trim().slice(0, 64)],
    category: content.slice(0, 64),
  });
  // Each way to wrap, to write and to begin is among them ten times at least.
  const listed = texts.filter((_, at) => (at + Math.floor(at / 10) + Math.floor(at / 100)) % 5 === 0);
  const ids: number[] = [];
  for (let first = 0; first < listed.length; first += 100) {
    const some = listed.slice(first, first + 100);
    const operations = some.map((content) => ({ action: 'create', item: item(content) }));
    const made = await call(url, 'POST', '/api/content/bulk', { token: account.token, body: { operations } });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    ids.push(made.body.data.results[0].id);
  }
  const page = await pages.open(account, `/content?author=${account.id}`);
  for (let number = 1; number <= 10; number++) {
    await page.getByText(`Page ${number} of 10`).waitFor();
    assert.equal(await page.locator('.content-row').count(), 20);
    if (number < 10) await page.getByRole('button', { name: 'Next' }).click();
  }
  const ran = () => page.evaluate(() => Reflect.get(globalThis, 'ran'));
  assert.equal(await ran(), undefined);
  await page.goto(`${pages.url()}/console/content/${ids[0]}`);
  await editor(page).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('.content-preview').waitFor({ state: 'attached' });
  // All texts in one, after a line that ends what the text before began.
  const { id } = await newItem(url, account.token, {
    title: 'All',
    content: texts.join('\n\n-->\n\n`\n\n'),
    status: 'draft',
  });
  await page.goto(`${pages.url()}/console/content/${id}`);
  await editor(page).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('.content-preview > *').first().waitFor();
  // Each by itself too, as the service makes the HTML of a preview.
  for (const content of texts)
    assert.doesNotMatch(
      htmlOf(content) ?? assert.fail(content),
      /<(?:script|svg|iframe|form|style|math)|<[^>]*\son\w+=|<[^>]*javascript:/i,
    );
  assert.equal(await ran(), undefined);
});

it('A key in a text of a mebibyte does no work for lines that are not shown', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const line = 'Some **words** of a long text, with `code` and a [link](https://example.org).\n';
  const keyTimes = async (content: string) => {
    const { id } = await newItem(url, account.token, { content, status: 'draft' });
    const page = await pages.open(account, `/content/${id}`);
    await editor(page).click();
    const times: number[] = [];
    for (let key = 0; key < 30; key++) {
      times.push(
        await page.evaluate(() => {
          const { activeElement } = document.activeElement?.shadowRoot ?? document;
          const began = performance.now();
          activeElement && document.execCommand('insertText', false, 'x');
          activeElement?.getBoundingClientRect();
          return new Promise<number>((resolve) => {
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
          });
        }),
      );
    }
    // The times are for people who compare them: a busy computer can make any of them long.
    const lines = await page.locator('.cm-line').count();
    assert.ok(lines > 0 && lines < 300, `${lines} lines are in the page.`);
    await page.keyboard.press('Control+s');
    await saved(page);
    await page.close();
    return times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0;
  };
  const short = await keyTimes(line);
  const long = await keyTimes(line.repeat(Math.floor((1024 * 1024 - 200) / line.length)));
  process.stdout.write(
    `p95 of a key: ${short.toFixed(1)} ms in a short text, ${long.toFixed(1)} ms in a mebibyte\n`,
  );
});
