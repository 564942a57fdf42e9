// Needs: a browser.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { newAccount, PASSWORD } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';

/** A proxy that has the service below `/stoa` and takes that off, as nginx does with `location /stoa/`. */
async function startProxy(t: TestContext, target: () => string): Promise<{ url: string; outside: string[] }> {
  const outside: string[] = [];
  const server = createServer((asked, answer) => {
    const { method, url = '', headers } = asked;
    if (!url.startsWith('/stoa/')) {
      outside.push(url);
      answer.writeHead(404).end();
      return;
    }
    const forwarded = request(target() + url.slice('/stoa'.length), { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/stoa`, outside };
}

it('Below a path behind a proxy the console signs in, writes, reloads and follows links, and asks for nothing elsewhere', async (t) => {
  let service: { url: string } | undefined;
  const proxy = await startProxy(t, () => service?.url ?? '');
  const started = await startService(t, sqlite, { PUBLIC_URL: proxy.url });
  service = started;
  const admin = await newWithRole(started, 'admin');
  const other = await newAccount(started.url);
  const page = await (await (await startBrowser(t)).newContext({ locale: 'en-GB' })).newPage();
  const failed: string[] = [];
  page.on('response', (response) => {
    // Whether a published item has a draft beside it is a question.
    const isQuestion = response.status() === 404 && response.url().endsWith('/draft');
    if (response.status() >= 400 && !isQuestion) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => failed.push(String(error)));

  await page.goto(`${proxy.url}/console/people/${other.id}`);
  await page.getByLabel('User name or e-mail').fill(admin.username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: other.username }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: other.username }).waitFor();

  await page.locator('.areas').getByRole('link', { name: 'Content' }).click();
  await page.getByRole('link', { name: 'New item' }).click();
  await page.getByLabel('Title').fill('Below a path');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.waitForURL(/\/stoa\/console\/content\/\d+$/);
  await page.getByRole('button', { name: 'Publish' }).first().click();
  await page.getByText('Published', { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Below a path' }).waitFor();
  await page.goto(`${proxy.url}/docs`);
  await page.getByText('/api/content').first().waitFor();

  assert.deepEqual(failed, []);
  assert.deepEqual(proxy.outside, []);
});
