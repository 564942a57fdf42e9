import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { fewCandidates } from '../../src/store/sqlite/candidates.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { sizesOf } from '../../src/store/sqlite/index-size.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { trigramsOf } from '../../src/store/trigrams.ts';
import { temporaryFolder } from '../support/engines.ts';

const ACCOUNTS = 20_000;

it('The pages of FTS5 tell the common trigrams of a keyword from the rare ones', async (t) => {
  const db = await manyAccounts(t);
  const [account] = await db.selectFrom('users').select('email').where('id', '=', ACCOUNTS).execute();
  const trigrams = trigramsOf(account?.email ?? '');
  const sizes = await sizesOf(db, 'users_search', trigrams);
  const [common, rare] = [sizes.slice(-10), sizes.slice(0, 8)].map((some) => some.map(({ pages }) => pages));
  assert.deepEqual([common?.length, rare?.length], [10, 8]);
  assert.ok(Math.min(...(common ?? [])) > 2 * median(rare ?? []), JSON.stringify(sizes));
});

it('A keyword with rare trigrams leaves few candidates; one of common trigrams is looked up as it is', async (t) => {
  const db = await manyAccounts(t);
  const [account] = await db.selectFrom('users').select('email').where('id', '=', ACCOUNTS).execute();
  const candidates = (await fewCandidates(db, 'users_search', account?.email ?? '')) ?? [];
  assert.ok(candidates.includes(ACCOUNTS));
  assert.ok(candidates.length < 20, String(candidates.length));
  assert.equal(await fewCandidates(db, 'users_search', '@mail.example'), undefined);
  assert.equal(await fewCandidates(db, 'users_search', 'mail'), undefined);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Accounts with one mail domain and names of hexadecimal digits. */
async function manyAccounts(t: TestContext) {
  const file = join(await temporaryFolder(t), 'stoa.db');
  await migrateSqlite(file, MIGRATIONS);
  const database = openForWriting(file);
  t.after(() => database.close());
  database.exec(`WITH RECURSIVE n (i, hex) AS (
      SELECT 1, lower(hex(randomblob(5))) UNION ALL SELECT i + 1, lower(hex(randomblob(5))) FROM n WHERE i < ${ACCOUNTS}
    )
    INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
    SELECT 'u' || i, 'u' || i, hex || '@mail.example', hex || '@mail.example', '', 0 FROM n`);
  return kyselyOn(database);
}
