import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../src/http/limits.ts';
import { listContent } from '../../src/lists/list.ts';
import { newAccount } from '../support/client.ts';
import { sameDatabase, sqlite } from '../support/engines.ts';
import { observed } from '../support/observed.ts';
import { placeAt } from '../support/place.ts';
import { isHeldByService, rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

it('A sitemap that its client does not read is made no further, and its connection ends', async (t) => {
  const shared = await sameDatabase(t, sqlite);
  let reads = 0;
  const before = (operation: string) => {
    if (operation === listContent.name) reads += 1;
  };
  // Its addresses have 16 MiB, more than the kernel takes.
  const [count, long] = [4_000, 'x'.repeat(4_000)];
  const settings = { PUBLIC_URL: 'https://a.example', CONTENT_URL: `https://b.example/{id}?${long}` };
  const { url } = await startService(t, shared, settings, { wrap: (store) => observed(store, { before }) });
  const { id } = await newAccount(url);
  await placeAt(
    await shared.settings(t),
  ).sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
    SELECT ${id}, 't', 'c', '', '[]', 1, 0, 0 FROM n`);
  const { unreadTimeout } = LIMITS;
  t.after(() => Object.assign(LIMITS, { unreadTimeout }));
  Object.assign(LIMITS, { unreadTimeout: 500 });
  const client = sendRaw(t, url, rawGet('/api/feeds/sitemap'));
  await until(() => reads > 1, 'the sitemap is begun');
  await until(() => !isHeldByService(client), 'the connection ends');
  assert.ok(reads < count / 250, `${reads} reads of 250 items`);
});
