// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { diagnose } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { newAccount } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { SEALING_KEY } from '../support/sealing.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

it('A role and a schema whose names have capitals and dots serve as any other: tables get statistics, and the doctor works', async (t) => {
  const url = await newPostgresDatabase();
  const database = new URL(url).pathname.slice(1);
  const role = `Stoa.App ${database.slice(-8)}`;
  await execute(url, `create role "${role}" login password 'secret'`);
  await execute(url, `grant create on database ${database} to "${role}"`);
  // The schema of a role's own name is the first that it uses.
  await execute(url, `create schema authorization "${role}"`);
  const DATABASE_URL = Object.assign(new URL(url), {
    username: encodeURIComponent(role),
    password: 'secret',
  }).href;

  const settings = async () => ({ DATABASE_URL, SEALING_KEY });
  const service = await startService(t, { name: '', settings });
  t.after(() => execute(url, `drop owned by "${role}" cascade; drop role "${role}"`));
  await newAccount(service.url);
  await execute(
    DATABASE_URL,
    'create table "their.table" with (autovacuum_enabled = off) as select n from generate_series(1, 100) as n',
  );
  const statistics = `select from pg_stats where schemaname = '${role}' and tablename = 'their.table'`;
  await until(async () => (await execute(url, statistics)).length > 0, 'the table has statistics');

  const { port: PORT } = new URL(service.url);
  const DATA_DIR = await temporaryFolder(t);
  const findings = await diagnose(() => readConfig({ DATABASE_URL, SEALING_KEY, DATA_DIR, PORT }));
  assert.deepEqual(
    findings.filter(({ state }) => state === 'wrong'),
    [],
  );
});
