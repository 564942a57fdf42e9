// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { call, newAccount, newItem, newName, refresh } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { connect } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { sessionIdOf } from '../support/target-of-route.ts';
import { until } from '../support/until.ts';

/** Of the pipelined connections, as in the store. */
const SHARED_CONNECTIONS = 4;
/** Creations of one account that wait for a lock at the same time. */
const CREATIONS = ADMISSION.transactions.ofAsker;
/** Inside of a transaction PostgreSQL goes on showing the connections that there were when it was first asked. */
const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

it('Refreshes and creations that wait for their own session keep nobody else waiting, and are made in the end', async (t) => {
  const settings = await postgres.settings(t);
  const { url } = await startService(t, { ...postgres, settings: async () => settings });
  const [held, other] = [await newAccount(url), await newAccount(url)];
  const database = settings.DATABASE_URL ?? '';
  const [holder, watcher] = [await connect(database), await connect(database)];
  t.after(() => Promise.all([holder.end(), watcher.end()]));
  await holder.query('BEGIN');
  await holder.query('SELECT id FROM sessions WHERE id = $1 FOR UPDATE', [sessionIdOf(held.token)]);
  const waiting = async () => (await watcher.query(WAITING)).rows[0].waiting;
  const [refreshes, creations] = [
    [refresh(url, held.refreshToken)],
    [newItem(url, held.token, { title: newName() })],
  ];
  // Each on a connection of its own, and the refreshes on as many as there are for statements of several people.
  for (let count = 2; count <= SHARED_CONNECTIONS + CREATIONS; count++) {
    await until(async () => (await waiting()) >= count, `${count} wait for the session`);
    if (refreshes.length < SHARED_CONNECTIONS) refreshes.push(refresh(url, held.refreshToken));
    else if (creations.length < CREATIONS) creations.push(newItem(url, held.token, { title: newName() }));
  }
  for (let round = 0; round < 3; round++) {
    assert.equal((await refresh(url, other.refreshToken)).status, 200);
    await newItem(url, other.token);
  }
  assert.equal((await call(url, 'GET', '/api/users/me', { token: held.token })).status, 200);
  await holder.query('COMMIT');
  const answers = await Promise.all(refreshes);
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
  assert.equal(new Set(answers.map(({ body }) => body.data.refresh_token)).size, 1);
  for (const { id } of await Promise.all(creations)) assert.ok(id > 0);
});
