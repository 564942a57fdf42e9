// Needs: a browser.

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { newAccount, newItem } from '../support/client.ts';
import { consolePages } from '../support/console/pages.ts';

const pages = consolePages();
const BUILT = new URL('../../dist/', import.meta.url);
const KB = 1024;

/** Follows what a page loads of the console. Returns its size as gzip, in bytes. */
function loads(page: Page): () => number {
  const files = new Set<string>();
  page.on('request', (request) => {
    const [, file] = /\/(console\/assets\/.+)$/.exec(request.url()) ?? [];
    files.add(file ?? 'console/index.html');
  });
  const sizeOf = (file: string) => {
    const packed = new URL(`${file}.gz`, BUILT);
    return statSync(existsSync(packed) ? packed : new URL(file, BUILT)).size;
  };
  return () => [...files].reduce((sum, file) => sum + sizeOf(file), 0);
}

it('The first view has at most 60 KB of gzip, and at most 130 KB with the editor', async () => {
  const { url } = pages.service();
  const account = await newAccount(url);
  const { id } = await newItem(url, account.token);
  const page = await pages.openEmpty(account);
  const size = loads(page);
  await page.goto(`${pages.url()}/console/`);
  await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const first = size();
  assert.ok(first > 15 * KB && first <= 60 * KB, `${first} bytes at first`);
  await page.goto(`${pages.url()}/console/content/${id}`);
  await page.getByRole('textbox', { name: 'Text in Markdown' }).waitFor();
  const all = size();
  assert.ok(all > first && all <= 130 * KB, `${all} bytes with the editor`);
});
