// Needs: a browser.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { newAccount, PASSWORD } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';

/** What a browser does with the cookie is the same on each engine. */
const engine = sqlite;

/** A site of its own, with an empty page. By its other name it is another site, by its port another origin. */
async function startSite(t: TestContext, name: string): Promise<string> {
  const site = createServer((_request, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
  t.after(() => site.close());
  await once(site, 'listening');
  return `http://${name}:${(site.address() as AddressInfo).port}`;
}

/** Posts as a script of the page does; a request that the browser refuses or hides is its error. */
function post(page: Page, address: string, body?: object) {
  return page.evaluate(
    async ({ address, body }) => {
      const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      try {
        const answer = await fetch(address, { method: 'POST', credentials: 'include', ...sent });
        const { data } = await answer.json();
        return [answer.status, data.error ?? Object.keys(data).includes('refresh_token')];
      } catch (error) {
        return [String(error)];
      }
    },
    { address, body },
  );
}

it('A browser hides the refresh token from scripts and refreshes in eight tabs, not for other sites', async (t) => {
  const [app, neighbour, stranger] = [
    await startSite(t, '127.0.0.1'),
    await startSite(t, '127.0.0.1'),
    await startSite(t, 'localhost'),
  ];
  let now = Date.now();
  const { url } = await startService(t, engine, { CORS_ORIGINS: app }, { clock: () => now });
  const passGrace = () => (now += 10_001);
  const { username } = await newAccount(url);
  const context = await (await startBrowser(t)).newContext();
  const pageOf = async (address: string) => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  // A page of the service that may ask the service.
  const own = await pageOf(`${url}/reset-password`);
  const refresh = (page: Page) => post(page, `${url}/api/auth/refresh`);
  const kept = async () => (await context.cookies(url)).map(({ value }) => value);
  assert.deepEqual(await refresh(own), [401, 'token_missing']);

  const credentials = { username, password: PASSWORD, refresh_token_in: 'cookie' };
  assert.deepEqual(await post(own, `${url}/api/auth/login`, credentials), [200, false]);
  const [first = ''] = await kept();
  assert.match(first, /^stoa_rt_/);
  assert.equal(await own.evaluate(() => document.cookie), '', 'no script reads the cookie');

  await own.reload();
  assert.deepEqual(await refresh(own), [200, false]);
  const [second = ''] = await kept();
  assert.notEqual(second, first);

  for (const page of [await pageOf(neighbour), await pageOf(stranger)])
    assert.deepEqual(await refresh(page), ['TypeError: Failed to fetch']);
  assert.deepEqual(await kept(), [second], 'what others ask changes nothing');

  passGrace();
  assert.deepEqual(await refresh(await pageOf(app)), [200, false]);
  const [third = ''] = await kept();
  assert.notEqual(third, second);

  passGrace();
  const tabs = await Promise.all(Array.from({ length: 8 }, () => pageOf(`${url}/reset-password`)));
  assert.deepEqual(await Promise.all(tabs.map(refresh)), Array(8).fill([200, false]));
  assert.deepEqual(await refresh(own), [200, false]);

  const signOut = async () => {
    const answer = await fetch('/api/auth/refresh', { method: 'POST' });
    const { token } = (await answer.json()).data;
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch('/api/auth/logout', { method: 'POST', headers })).status;
  };
  assert.equal(await own.evaluate(signOut), 200);
  assert.deepEqual(await kept(), []);
  assert.deepEqual(await refresh(own), [401, 'token_missing']);
});
