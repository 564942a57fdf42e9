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

it('A large text that is shown counts among the bytes that its source has under way', async (t) => {
  const { url } = await startService(t, engine);
  const { token } = await newAccount(url);
  const show = (content: string) => call(url, 'POST', '/api/content/preview', { token, body: { content } });
  const large = 'x'.repeat(LIMITS.large);
  assert.equal((await show(large)).status, 200);
  // No body comes in pieces of that length.
  const { take } = Shares.prototype;
  t.mock.method(Shares.prototype, 'take', function (this: Shares, source: string, amount?: number) {
    return amount !== large.length && take.call(this, source, amount);
  });
  assert.equal((await show(large)).status, 429);
  assert.equal((await show(large.slice(1))).status, 200);
});
