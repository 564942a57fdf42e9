// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { OperatorError } from '../../src/domain/operator-error.ts';
import { openStore } from '../../src/open-store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { startSessionPooler, startTransactionPooler } from '../support/poolers.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { startHere } from '../support/service.ts';
import { requireLimits } from '../support/time-limits.ts';

/** Functions that are found before the server's own. */
const LOCKS_OF_NOBODY = [
  'CREATE SCHEMA alike',
  "CREATE FUNCTION alike.pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
];

const POOLERS = {
  'with many connections': {},
  'with one connection': { most: 1 },
  'that rotates its connections': { rotates: true },
};

async function refusalOf(url: string, directUrl = ''): Promise<string> {
  const settings = { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl };
  const opened = openStore(readConfig(settings).database, { notice: () => {} });
  const error = await opened.then((store) => store.close()).catch((reason: unknown) => reason);
  assert.ok(error instanceof OperatorError, String(error));
  return error.message;
}

describe('Servers whose connections are no sessions', { concurrency: true }, () => {
  for (const [kind, options] of Object.entries(POOLERS))
    it(`A pooler in transaction mode ends the start with one sentence that says what to do (${kind})`, async (t) => {
      const url = await startTransactionPooler(t, await newMigratedDatabase(), options);
      assert.match(
        await refusalOf(url),
        /^The database 127\.0\.0\.1:\d+\/\S+ is behind a pooler in transaction mode, .* give DATABASE_DIRECT_URL the address of the server itself/,
      );
    });

  for (const rotates of [false, true])
    it(`Requests go through a pooler in transaction mode, and the server keeps our time limits (rotates its connections: ${rotates})`, async (t) => {
      const server = await newMigratedDatabase();
      const url = await startTransactionPooler(t, server, { keepsPrepared: true, rotates });
      await requireLimits(t, { DATABASE_URL: url, DATABASE_DIRECT_URL: server });
      const { url: service, stop } = await startHere(t, { DATABASE_URL: url, DATABASE_DIRECT_URL: server });
      const { token } = await newAccount(service);
      const items = await Promise.all(Array.from({ length: 20 }, () => newItem(service, token)));
      const read = await Promise.all(items.map(({ id }) => call(service, 'GET', `/api/content/${id}`, {})));
      assert.deepEqual(new Set(read.map(({ status }) => status)), new Set([200]));
      // Nothing of ours stays on the connections, which others get.
      const left = await execute(url, "SELECT name FROM pg_settings WHERE source = 'session'");
      assert.deepEqual(left, []);
      // Before the pooler ends, which it would wait for.
      await stop();
    });

  for (const [kind, options] of Object.entries(POOLERS))
    it(`A pooler that forgets prepared statements ends the start with one sentence that says what to do (${kind})`, async (t) => {
      const server = await newMigratedDatabase();
      const url = await startTransactionPooler(t, server, options);
      assert.match(await refusalOf(url, server), /forgets prepared statements; set max_prepared_statements /);
    });

  it('A pooler of another database than DATABASE_DIRECT_URL ends the start with one sentence', async (t) => {
    const url = await startTransactionPooler(t, await newMigratedDatabase(), { keepsPrepared: true });
    assert.match(
      await refusalOf(url, await newMigratedDatabase()),
      /lead to two databases; give them two addresses of the same one\.$/,
    );
  });

  it('DATABASE_DIRECT_URL behind a pooler in transaction mode ends the start with the same sentence', async (t) => {
    const url = await startTransactionPooler(t, await newMigratedDatabase(), { keepsPrepared: true });
    assert.match(await refusalOf(url, url), /give DATABASE_DIRECT_URL the address of the server itself/);
  });

  it('A pooler in session mode serves, and the server keeps our time limits', async (t) => {
    await requireLimits(t, { DATABASE_URL: await startSessionPooler(t, await newMigratedDatabase()) });
  });

  it('A server whose advisory locks exclude nobody ends the start with one sentence', async () => {
    const url = await newMigratedDatabase();
    await execute(url, LOCKS_OF_NOBODY.join(';'));
    const path = 'alike, pg_catalog, public';
    await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = ${path}`);
    assert.match(
      await refusalOf(url),
      /cannot be used: its advisory locks exclude nobody, .* use PostgreSQL itself\.$/,
    );
  });

  it('Several instances that start at once on one server are not taken for users of a pooler', async () => {
    const url = await newMigratedDatabase();
    const { database } = readConfig({ DATABASE_URL: url });
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(database)));
    await Promise.all(stores.map((store) => store.close()));
  });
});
