// Needs: a browser.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { setRole } from '../../src/accounts/administer.ts';
import { newAccount, newItem } from '../support/client.ts';
import { differences, outlineOf, type Part } from '../support/console/outline.ts';
import { consolePages, picture } from '../support/console/pages.ts';
import { sizeOf, textOf, withText } from '../support/console/png-text.ts';

const pages = consolePages();
const FILE = new URL('../../docs/console.png', import.meta.url);
const README = new URL('../../README.md', import.meta.url);
/** Under this name the picture says what is seen on it. */
const OUTLINE = 'Outline';
const MOST_BYTES = 150 * 1024;
const VIEWPORT = { width: 1280, height: 960 };
/** Fonts are those of the browser of the tests, in which a later version may change a width a little. */
const MOST_PIXELS = 24;
const MADE = Date.parse('2026-03-02T08:10:00Z');
/** A day and some minutes, between the changes of two items. */
const STEP_MS = 94_680_000;

/** The newest is the last. */
const ITEMS = [
  {
    author: 'jonas',
    title: 'How we lend tools',
    category: 'guides',
    tags: ['tools', 'lending'],
    content:
      'A drill is borrowed for a week, a ladder for two days. Bring both back clean, and say what is broken.',
  },
  {
    author: 'ines',
    title: 'Opening hours in spring',
    category: 'news',
    tags: ['house'],
    content:
      'From the first of April the workshop is open until eight in the evening, on Saturdays until four.',
  },
  {
    author: 'marta',
    title: 'Budget for the new kiln',
    category: 'house',
    tags: ['pottery', 'money'],
    visibility: 'members',
    content: 'Two offers have come in. Both include the delivery; only one of them includes a second shelf.',
  },
  {
    author: 'jonas',
    title: 'Bicycle repair, first evening',
    category: 'courses',
    tags: ['bicycles', 'beginners'],
    content:
      'We true a wheel, change a brake cable and oil what squeaks. Bring your own bicycle if you have one.',
  },
  {
    author: 'ines',
    title: 'What the garden gave in February',
    category: 'news',
    tags: ['garden', 'harvest'],
    content:
      'Leeks, kale and the last of the carrots: forty kilograms in all, which went to the kitchen on Thursday.',
  },
  {
    author: 'marta',
    title: 'A walk along the old canal',
    category: 'walks',
    tags: ['outdoors', 'spring'],
    content:
      'We meet at the lock at nine. The way is flat and takes three hours, with a stop at the mill for coffee.',
  },
];

/** The list of the content of a made-up house, as an admin sees it, at times that do not change. */
async function opened(): Promise<Page> {
  const { url, store } = pages.service();
  const tokens: Record<string, string> = {};
  for (const name of ['marta', 'jonas', 'ines']) tokens[name] = (await newAccount(url, name)).token;
  await store.write(setRole, { account: 'marta', role: 'admin', now: Date.now() });
  for (const { author, ...item } of ITEMS) await newItem(url, tokens[author] ?? '', item);
  const options = { viewport: VIEWPORT, colorScheme: 'light', timezoneId: 'UTC' } as const;
  const page = await pages.openEmpty({ username: 'marta' }, options);
  await page.route('**/api/content?*', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const item of json.data.items) item.updated_at = new Date(MADE + STEP_MS * item.id).toISOString();
    await route.fulfill({ response, json });
  });
  await page.goto(`${pages.url()}/console/content`);
  await page.getByText('6 items').waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}

it('The picture in the README shows the console as it is (STOA_UPDATE_PICTURE=yes makes it again)', async () => {
  const page = await opened();
  const now = await outlineOf(page);
  await picture(page, 'readme');
  if (process.env.STOA_UPDATE_PICTURE === 'yes')
    await writeFile(FILE, withText(await page.screenshot(), OUTLINE, JSON.stringify(now)));
  const file = await readFile(FILE);
  const before: Part[] = JSON.parse(textOf(file, OUTLINE) ?? '[]');
  assert.ok(before.length > 50, `${before.length} parts`);
  assert.deepEqual(differences(before, now, MOST_PIXELS), []);
  assert.deepEqual(sizeOf(file), VIEWPORT);
  assert.ok(file.length <= MOST_BYTES, `${file.length} bytes`);
  assert.match(await readFile(README, 'utf8'), /^# Stoa\n\n!\[[^\]]{20,}\]\(docs\/console\.png\)\n/);
});

it('A word, a colour or a place that is another one makes the picture wrong', async () => {
  const part = { what: 'h1 Content', colours: 'black white', place: [10, 20, 300, 40] };
  const others = [
    { ...part, what: 'h1 Contents' },
    { ...part, colours: 'red white' },
    { ...part, place: [10, 20 + MOST_PIXELS + 1, 300, 40] },
  ];
  for (const other of others) assert.equal(differences([part], [other], MOST_PIXELS).length, 1);
  assert.equal(differences([part], [part, part], MOST_PIXELS).length, 1);
  assert.deepEqual(differences([part], [{ ...part, place: [12, 20, 310, 40] }], MOST_PIXELS), []);
});
