import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { diagnose } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { storageReadOnly, unavailable } from '../../src/domain/failure.ts';
import { WriteTrouble } from '../../src/store/write-trouble.ts';
import { firingWhile } from '../support/alerts.ts';
import { answered, call, newName, PASSWORD } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { scrape } from '../support/metrics.ts';
import { newWithRole } from '../support/people.ts';
import { execute } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BEGINS = 'the database answers, but takes no writes; nothing can be stored until it does';
const ENDS = 'the database takes writes again';

onEveryEngine('Databases that take no writes', (engine) => {
  it('A database that answers and takes no writes makes the service unready, is in the log and in `stoa doctor`, and is used again without a restart', async (t) => {
    const settings = await engine.settings(t);
    const service = await startService(
      t,
      { name: engine.name, settings: async () => settings },
      { METRICS_PORT: '0' },
    );
    const { url, log } = service;
    const { token } = await newWithRole(service, 'admin');
    const ready = () => call(url, 'GET', '/readyz');
    const lines = (message: string) => log.filter((line) => JSON.parse(line).msg === message);
    const create = () =>
      call(url, 'POST', '/api/content', { token, body: { title: 'title', content: 'text' } });

    const end = await takeWrites(settings);
    await until(async () => (await create()).body.data.error === 'unavailable', 'a write fails');
    await until(() => lines(BEGINS).length === 1, 'the log says so');
    assert.match(JSON.parse(lines(BEGINS)[0] ?? '').cause, /locked|read-only transaction/);
    const { status, body } = await ready();
    assert.deepEqual([status, body.data.details], [503, ['storage_read_only']]);
    assert.ok(firingWhile(await scrape(service)).includes('StoaStorageReadOnly'));
    const system = await call(url, 'GET', '/api/system', { token });
    const found = system.body.data.checks.find(({ check }: { check: string }) => check === 'database');
    assert.equal(found?.state, 'wrong');
    assert.match(found?.says, /takes no writes/);
    const findings = await diagnose(() => readConfig({ ...settings, PORT: new URL(url).port }));
    const wrong = findings.filter(({ state }) => state === 'wrong');
    assert.deepEqual(
      wrong.map(({ check }) => check),
      ['service'],
    );
    assert.match(wrong[0]?.says ?? '', /is not ready \(503: .*storage_read_only/);

    await end();
    await until(() => lines(ENDS).length === 1, 'the log says that it ended');
    assert.equal((await ready()).status, 200);
    await until(async () => (await create()).status === 200, 'a write succeeds');
    assert.ok(!firingWhile(await scrape(service)).includes('StoaStorageReadOnly'));
    assert.equal(lines(BEGINS).length, 1);
    // Each connection that was made meanwhile fails once more and is closed, and the first requests may take several.
    const registers = await answered(() => call(url, 'POST', '/api/auth/register', { body: newPerson() }));
    assert.equal(registers.status, 200);
  });
});

it('One write that waits too long for a row says nothing about other writes', async () => {
  const trouble = new WriteTrouble(async () => false, 0);
  trouble.note(unavailable(new Error('canceling statement due to lock timeout')));
  await trouble.require();
  trouble.note(storageReadOnly(new Error('database is locked')));
  await assert.rejects(trouble.require(), { code: 503 });
});

function newPerson() {
  const username = newName();
  return { username, email: `${username}@example.org`, password: PASSWORD };
}

/** Lets the database take no writes until the returned function is called. */
async function takeWrites({ DATABASE_URL, DATA_DIR = '' }: Record<string, string>) {
  if (DATABASE_URL === undefined) {
    // As in a shell that somebody forgot.
    const file = new DatabaseSync(join(DATA_DIR, 'stoa.db'), { timeout: 5_000 });
    file.exec('BEGIN IMMEDIATE');
    return async () => file.close();
  }
  const name = new URL(DATABASE_URL).pathname.slice(1);
  const writable = new URL(DATABASE_URL);
  writable.searchParams.set('options', '-c default_transaction_read_only=off');
  await execute(writable.href, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`;
  await execute(writable.href, others);
  return () => execute(writable.href, `ALTER DATABASE ${name} RESET default_transaction_read_only`);
}
