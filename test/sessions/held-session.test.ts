// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { call, newAccount, newItem, newName, refresh } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { connect } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
/** Refreshes and log-outs of one account that wait at the same time, and creations. All others hold no connection. */
const OF_SESSION = ADMISSION.exclusiveTransactions.ofAsker;
const CREATIONS = ADMISSION.transactions.ofAsker;
/** More than there are connections. */
const MANY = 20;
/** Inside of a transaction PostgreSQL goes on showing the connections that there were when it was first asked. */
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function withHeldSession(t: TestContext) {
  const settings = await postgres.settings(t);
  const engine = { ...postgres, settings: async () => settings };
  // The clock stands still, so that no token gets older than its grace while it waits.
  const { url } = await startService(t, engine, { DATABASE_POOL: '10' }, { clock: () => NOW });
  const [held, other] = [await newAccount(url), await newAccount(url)];
  const database = settings.DATABASE_URL ?? '';
  const [holder, watcher] = [await connect(database), await connect(database)];
  t.after(() => Promise.all([holder.end(), watcher.end()]));
  await holder.query('BEGIN');
  await holder.query('SELECT id FROM sessions WHERE id = $1 FOR UPDATE', [sessionIdOf(held.token)]);
  const waiting = async () => (await watcher.query(WAITING)).rows[0].waiting;
  const othersGoOn = async (most: number) => {
    await until(async () => (await waiting()) === most, 'as many wait for the session as may');
    let { refreshToken } = other;
    for (let round = 0; round < 3; round++) {
      const { status, body } = await refresh(url, refreshToken);
      assert.equal(status, 200, JSON.stringify(body));
      refreshToken = body.data.refresh_token;
      await newItem(url, other.token);
      assert.equal(await waiting(), most);
    }
  };
  return { url, held, othersGoOn, release: () => holder.query('COMMIT') };
}

it('Refreshes and creations that wait for their own session keep nobody else waiting, and are made in the end', async (t) => {
  const { url, held, othersGoOn, release } = await withHeldSession(t);
  const refreshes = Array.from({ length: MANY }, () => refresh(url, held.refreshToken));
  const creations = Array.from({ length: CREATIONS }, () => newItem(url, held.token, { title: newName() }));
  await othersGoOn(OF_SESSION + CREATIONS);
  assert.equal((await call(url, 'GET', '/api/users/me', { token: held.token })).status, 200);
  await release();
  const answers = await Promise.all(refreshes);
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  assert.equal(new Set(answers.map(({ body }) => body.data.refresh_token)).size, 1);
  for (const { id } of await Promise.all(creations)) assert.ok(id > 0);
});

it('Log-outs that wait for their own session keep nobody else waiting', async (t) => {
  const { url, held, othersGoOn, release } = await withHeldSession(t);
  const logOuts = Array.from({ length: MANY }, () =>
    call(url, 'POST', '/api/auth/logout', { token: held.token }),
  );
  await othersGoOn(OF_SESSION);
  await release();
  for (const { status } of await Promise.all(logOuts)) assert.equal(status, 200);
});
