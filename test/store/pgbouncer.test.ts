// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { OperatorError } from '../../src/domain/operator-error.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { call, newAccount } from '../support/client.ts';
import type { Lifetime } from '../support/engines.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { connect, execute, newMigratedDatabase } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { requireLimits } from '../support/time-limits.ts';

/** Starts two instances. A session that ends on one of them ends on the other one within a second. */
async function requireToHear(t: Lifetime, settings: Record<string, string>): Promise<void> {
  const [one, other] = [await startProcess(t, settings), await startProcess(t, settings)];
  const { token } = await newAccount(one.url);
  assert.equal((await call(other.url, 'GET', '/api/users/me', { token })).status, 200);
  await call(one.url, 'POST', '/api/auth/logout', { token });
  const elapsed = stopwatch();
  let status = 200;
  while (status === 200 && elapsed() < 1_000)
    ({ status } = await call(other.url, 'GET', '/api/users/me', { token }));
  assert.equal(status, 401);
  for (const instance of [one, other]) assert.equal(await instance.stop('SIGTERM'), 0);
}

// The tests of postgres-sessions.test.ts ask the same of poolers of our own, which every machine has.
describe('The real PgBouncer, where it is installed', { concurrency: true }, () => {
  it('Behind PgBouncer in session mode two instances serve, hear of each other and keep the time limits', async (t) => {
    if (!(await hasPgBouncer())) return;
    const url = await startPgBouncer(t, await newMigratedDatabase(), 'session');
    await requireLimits(t, { DATABASE_URL: url });
    await requireToHear(t, { DATABASE_URL: url, DATABASE_POOL: '4' });
  });

  it('Through PgBouncer in transaction mode two instances serve, hear of each other and keep the time limits', async (t) => {
    if (!(await hasPgBouncer(21))) return;
    const server = await newMigratedDatabase();
    const url = await startPgBouncer(t, server, 'transaction', ['max_prepared_statements = 500']);
    await requireLimits(t, { DATABASE_URL: url, DATABASE_DIRECT_URL: server });
    await requireToHear(t, { DATABASE_URL: url, DATABASE_DIRECT_URL: server, DATABASE_POOL: '4' });
  });

  it('PgBouncer in transaction mode ends each start with one sentence, also while others use it, and keeps no lock of ours', async (t) => {
    if (!(await hasPgBouncer())) return;
    const server = await newMigratedDatabase();
    const url = await startPgBouncer(t, server, 'transaction');
    const others = await Promise.all(Array.from({ length: 6 }, () => connect(url)));
    t.after(() => Promise.all(others.map((each) => each.end())));
    let isStarting = true;
    const traffic = others.map(async (each) => {
      while (isStarting) await each.query('SELECT pg_sleep(random() / 200)');
    });
    const { database } = readConfig({ DATABASE_URL: url });
    try {
      for (let start = 0; start < 25; start++)
        await assert.rejects(
          migrateStore(database),
          (error: Error) =>
            error instanceof OperatorError && /is behind a pooler in transaction mode, /.test(error.message),
        );
    } finally {
      isStarting = false;
    }
    await Promise.all(traffic);
    const ours = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    assert.deepEqual(
      await execute(server, `SELECT FROM pg_locks WHERE locktype = 'advisory' AND ${ours}`),
      [],
    );
  });
});
