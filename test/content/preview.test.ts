import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Shares } from '../../src/domain/admission/shares.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';

/** What a text looks like is the same on each engine. */
const engine = sqlite;
const TEXT = '# Head\n\n<script>alert(1)</script>A [link](javascript:alert(1)) and **words**.\n';

it('A text that is not stored looks as it does when it is stored', async (t) => {
  const { url } = await startService(t, engine);
  const { token } = await newAccount(url);
  const { id } = await newItem(url, token, { content: TEXT });
  const stored = await call(url, 'GET', `/api/content/${id}?format=html`, { token });
  const shown = await call(url, 'POST', '/api/content/preview', { token, body: { content: TEXT } });
  assert.equal(shown.status, 200);
  assert.equal(shown.body.data.html, stored.body.data.html);
  assert.match(shown.body.data.html, /<h1>Head<\/h1>/);
  assert.doesNotMatch(shown.body.data.html, /<script|<a[^>]*javascript/);
});

it('A service that makes no HTML refuses to show a text', async (t) => {
  const { url } = await startService(t, engine, { RENDER: 'off' });
  const { token } = await newAccount(url);
  const { status, body } = await call(url, 'POST', '/api/content/preview', {
    token,
    body: { content: TEXT },
  });
  assert.deepEqual([status, body.data.error], [400, 'validation_failed']);
});

it('A large text that is shown counts among the bytes that its source has under way, before it is read if its length is known', async (t) => {
  const { url } = await startService(t, engine);
  const { token } = await newAccount(url);
  const path = '/api/content/preview';
  const show = (content: string) => call(url, 'POST', path, { token, body: { content } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const showInPieces = async (content: string) => {
    const body = new Blob([JSON.stringify({ content })]).stream();
    const request = { method: 'POST', headers, body, duplex: 'half' };
    return (await fetch(url + path, request)).status;
  };
  const large = 'x'.repeat(LIMITS.large);
  assert.deepEqual([(await show(large)).status, await showInPieces(large)], [200, 200]);
  // No body comes in pieces of these lengths.
  const refused: unknown[] = [JSON.stringify({ content: large }).length, large.length];
  const { take } = Shares.prototype;
  t.mock.method(Shares.prototype, 'take', function (this: Shares, source: string, amount?: number) {
    return !refused.includes(amount) && take.call(this, source, amount);
  });
  assert.deepEqual([(await show(large)).status, await showInPieces(large)], [429, 429]);
  assert.deepEqual([(await show(large.slice(1))).status, await showInPieces(large.slice(1))], [200, 200]);
});
