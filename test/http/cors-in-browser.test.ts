// Needs: a browser.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { newAccount, newItem } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const engine = sqlite;

/** A site of its own, with an empty page. */
async function startSite(t: TestContext): Promise<string> {
  const site = createServer((_request, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
  t.after(() => site.close());
  await once(site, 'listening');
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

it('A page of an origin in CORS_ORIGINS reads and writes in a browser, and other pages do not', async (t) => {
  const [ours, other] = [await startSite(t), await startSite(t)];
  const { url } = await startService(t, engine, { CORS_ORIGINS: ours });
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token);
  const browser = await startBrowser(t);

  /** Reads the list, changes the item and tries to delete another, as a page of this site. */
  const asPageOf = async (site: string) => {
    const page = await browser.newPage();
    await page.goto(site);
    return page.evaluate(
      async ({ url, token, id }) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const ask = (path: string, init?: RequestInit) =>
          fetch(url + path, init).then(
            async (answer) => [answer.status, (await answer.json()).code, answer.headers.has('x-request-id')],
            (error) => [error.name],
          );
        const body = JSON.stringify({ title: `From ${location.origin}` });
        return [
          await ask('/api/content'),
          await ask(`/api/content/${id}`, { method: 'PUT', headers, body }),
          await ask('/api/content/4711', { method: 'DELETE', headers }),
        ];
      },
      { url, token, id },
    );
  };

  assert.deepEqual(await asPageOf(ours), [
    [200, 200, true],
    [200, 200, true],
    [404, 404, true],
  ]);
  assert.deepEqual(await asPageOf(other), [['TypeError'], ['TypeError'], ['TypeError']]);
  const item = await (await fetch(`${url}/api/content/${id}`)).json();
  assert.equal(item.data.title, `From ${ours}`);
});
