// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { connect } from '../support/postgres.ts';
import { startHere } from '../support/service.ts';
import { until } from '../support/until.ts';

const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function openWithOthers(t: TestContext) {
  const settings = await postgres.settings(t);
  const { url } = await startHere(t, settings);
  const [holder, watcher] = [
    await connect(settings.DATABASE_URL ?? ''),
    await connect(settings.DATABASE_URL ?? ''),
  ];
  t.after(() => Promise.all([holder.end(), watcher.end()]));
  const [victim, member] = [await newAccount(url), await newAccount(url)];
  const hold = async (id: number) => {
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM content WHERE id = $1 FOR UPDATE', [id]);
  };
  const release = () => holder.query('COMMIT');
  const waiting = async (): Promise<number> => (await watcher.query(WAITING)).rows[0].waiting;
  return { url, victim, member, hold, release, waiting };
}

it('Many changes in one request lock no item that the caller may not change, however long they take', async (t) => {
  const { url, victim, member, hold, release, waiting } = await openWithOthers(t);
  const [other, draft, gone] = [
    await newItem(url, victim.token),
    await newItem(url, victim.token, { status: 'draft' }),
    await newItem(url, victim.token),
  ];
  await call(url, 'DELETE', `/api/content/${gone.id}`, { token: victim.token });
  const own = await newItem(url, member.token);
  await hold(own.id);
  const operations = [own, other, draft, gone].map(({ id }) => ({ action: 'delete', id }));
  const bulk = call(url, 'POST', '/api/content/bulk', { token: member.token, body: { operations } });
  await until(async () => (await waiting()) === 1, 'it waits for the item of the member');
  const put = (id: number) =>
    call(url, 'PUT', `/api/content/${id}`, { token: victim.token, body: { title: 'changed' } });
  for (const { id } of [other, draft]) assert.equal((await put(id)).status, 200);
  const restored = await call(url, 'POST', `/api/content/trash/${gone.id}/restore`, { token: victim.token });
  assert.equal(restored.status, 200, JSON.stringify(restored.body));
  assert.equal(await waiting(), 1, 'it still waits');
  await release();
  const refused = await bulk;
  assertFailure(refused, 403, 'forbidden');
  assert.equal(refused.body.data.index, 1);
  assert.equal((await call(url, 'GET', `/api/content/${own.id}`)).status, 200, 'none was made');
});

it('A change or deletion of an item that the caller may not change does not wait for who changes it', async (t) => {
  const { url, victim, member, hold, release } = await openWithOthers(t);
  const item = await newItem(url, victim.token);
  const { token } = member;
  const path = `/api/content/${item.id}`;
  await hold(item.id);
  assertFailure(await call(url, 'PUT', path, { token, body: { title: 'x' } }), 403, 'forbidden');
  assertFailure(await call(url, 'DELETE', path, { token }), 403, 'forbidden');
  await release();
  assert.equal((await call(url, 'DELETE', path, { token: victim.token })).status, 200);
  await hold(item.id);
  for (const [method, of] of [
    ['POST', '/restore'],
    ['DELETE', ''],
  ] as const)
    assertFailure(await call(url, method, `/api/content/trash/${item.id}${of}`, { token }), 404, 'not_found');
  await release();
});
