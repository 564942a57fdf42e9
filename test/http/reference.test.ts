// Needs: a browser.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import openapi from '../../openapi.json' with { type: 'json' };
import { startBrowser } from '../support/browser.ts';
import { onOneEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

/** A page in a real browser, with everything that it asked for and complained about. */
async function openPage(t: TestContext): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const page = await (await startBrowser(t)).newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requests, complaints };
}

onOneEngine('The reference at /docs', (engine) => {
  const WORKS =
    'The reference shows every operation with its name, asks no other host, and sends requests that work';
  for (const [below, where] of [
    ['', 'at its host'],
    ['/accounts', 'below a path of its host'],
  ])
    it(`${WORKS} ${where}`, async (t) => {
      const service = await startService(t, engine);
      const { page, requests, complaints } = await openPage(t);
      const url = service.url + below;
      // As a proxy does that takes the path away.
      await page.route(`${service.url}/**`, (route) => {
        const asked = route.request().url();
        return route.continue({ url: asked.startsWith(`${url}/`) ? asked.replace(url, service.url) : asked });
      });

      await page.goto(`${url}/docs`);
      await page.waitForSelector('.opblock');
      const operations = Object.values(openapi.paths).flatMap((path) =>
        Object.values(path).map(({ operationId }) => operationId),
      );
      assert.equal(await page.locator('.opblock').count(), operations.length);
      const shown = await page.locator('.opblock-summary-operation-id').allInnerTexts();
      assert.deepEqual(shown.toSorted(), operations.toSorted());

      const register = page.locator('#operations-auth-register');
      await register.click();
      await register.getByRole('button', { name: 'Try it out' }).click();
      await register.getByRole('button', { name: 'Execute' }).click();
      const answer = register.locator('.live-responses-table .microlight').first();
      await answer.waitFor();
      assert.match(await answer.innerText(), /"username": "ada"/);

      assert.deepEqual(
        requests.filter((request) => !request.startsWith(`${url}/`)),
        [],
      );
      assert.deepEqual(complaints, []);
    });
});
