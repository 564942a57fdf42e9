// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { OperatorError } from '../../src/domain/operator-error.ts';
import { openStore } from '../../src/open-store.ts';
import { startSessionPooler, startTransactionPooler } from '../support/poolers.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
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

async function refusalOf(url: string): Promise<string> {
  const opened = openStore(readConfig({ DATABASE_URL: url }).database, { notice: () => {} });
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
        /^The database 127\.0\.0\.1:\d+\/\S+ is behind a pooler in transaction mode, .* give DATABASE_URL the address of the server itself/,
      );
    });

  it('A pooler in session mode serves, and the server keeps our time limits', async (t) => {
    await requireLimits(t, await startSessionPooler(t, await newMigratedDatabase()));
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
