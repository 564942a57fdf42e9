import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/open-store.ts';
import { readOperation, writeOperation } from '../../src/store/operation.ts';
import type { Db } from '../../src/store/tables.ts';
import type { Lifetime } from './engines.ts';

const NAMES = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

async function limitsOf(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; limit: string }>`
    select name, setting as "limit" from pg_settings where name in (${sql.join(NAMES)}) order by name`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ name, limit }) => [name, Number(limit)]));
}

const readLimits = readOperation('test.read_limits', (db, _: null) => limitsOf(db));
const limitsOfWrite = writeOperation('test.limits_of_write', (db, _: null) => limitsOf(db));

/** Opens the database as a service does, and asserts that the server ends what takes too long on its connections. */
export async function requireLimits(t: Lifetime, settings: Record<string, string>): Promise<void> {
  const store = await openStore(readConfig(settings).database, { notice: () => {} });
  t.after(() => store.close());
  const limits = {
    idle_in_transaction_session_timeout: 5_000,
    lock_timeout: 2_000,
    statement_timeout: 3_000,
  };
  assert.deepEqual(await store.read(readLimits, null), limits);
  assert.deepEqual(await store.write(limitsOfWrite, null), limits);
}
