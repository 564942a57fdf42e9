import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { fillSqlite } from '../../bench/datasets/sqlite-fill.ts';
import { openIndexQueue } from '../../bench/servers/index-queue.ts';
import { call } from '../support/client.ts';
import { emptySettings, sqlite } from '../support/engines.ts';
import { startHere } from '../support/service.ts';

const ITEMS = 30;

it('A dataset of the benchmark has the schema of now, and a service on it has nothing left to index', async (t) => {
  const settings = await emptySettings(t, sqlite);
  const file = join(String(settings.DATA_DIR), 'stoa.db');
  await fillSqlite(file, { name: 'few', accounts: 3, items: ITEMS }, 'no hash');
  const queue = await openIndexQueue({ settings });
  assert.equal(await queue.length(), 0);
  await queue.close();
  const { url } = await startHere(t, settings);
  const { body } = await call(url, 'GET', '/api/content?keyword=the');
  assert.equal(body.data.total, ITEMS);
});
