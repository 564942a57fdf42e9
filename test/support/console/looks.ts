import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { until } from '../until.ts';
import { brokenRules, picture } from './pages.ts';

/** As playwright waits for a page without requests. */
const QUIET_MS = 500;

/**
 * Leads a page of the console to another view, as a link does. Returns when the view asks for nothing more. A page that
 * is loaded by its address costs four times as much.
 */
export async function showView(page: Page, path: string): Promise<void> {
  const open = new Set<Request>();
  let changed = Date.now();
  const begin = (request: Request) => {
    open.add(request);
    changed = Date.now();
  };
  const end = (request: Request) => {
    open.delete(request);
    changed = Date.now();
  };
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await page.evaluate(async (to) => {
    await Reflect.get(globalThis, 'navigation').navigate(to)?.finished;
  }, `/console${path}`);
  await page.locator('h1, .content-title').first().waitFor();
  await until(() => open.size === 0 && Date.now() - changed >= QUIET_MS, 'the view asks for nothing more');
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
}

/** Fails where a view breaks WCAG 2.2 AA in a theme or in one of these widths, or is wider than a narrow window. */
export async function assertAccessible(page: Page, name: string, widths = [1280, 390]): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Only colours are others in the dark.
    const only = colorScheme === 'dark' ? 'color-contrast' : undefined;
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await picture(page, `${name.replaceAll(/\W+/g, '-')}-${colorScheme}-${width}`);
      assert.deepEqual(await brokenRules(page, only), [], `${name} ${colorScheme} ${width}`);
    }
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 320, `${name} is ${wide} pixels wide.`);
}
