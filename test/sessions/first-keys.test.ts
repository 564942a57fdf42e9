// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { postgres, sameDatabase } from '../support/engines.ts';
import { connect } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

it('Two instances that make first keys at the same moment on PostgreSQL keep one', async (t) => {
  const database = await sameDatabase(t, postgres);
  const { DATABASE_URL = '' } = await database.settings(t);
  await migrateStore(readConfig({ DATABASE_URL }).database);
  const [holder, watcher] = [await connect(DATABASE_URL), await connect(DATABASE_URL)];
  t.after(() => Promise.all([holder.end(), watcher.end()]));
  // Everybody may still look for a key, and nobody can keep one.
  await holder.query('begin; lock table signing_keys in share mode');
  const starting = Promise.all([startService(t, database), startService(t, database)]);
  await until(async () => (await watcher.query(WAITING)).rows.length >= 2, 'both instances wait');
  await holder.query('commit');
  await starting;
  assert.equal((await watcher.query('select kid from signing_keys')).rows.length, 1);
});
