import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { logLength, openForWriting } from '../../src/store/sqlite/connection.ts';
import { kyselyOn, sqliteEngine } from '../../src/store/sqlite/dialect.ts';
import { applyMigrations } from '../../src/store/sqlite/migrate.ts';
import { inTransaction } from '../../src/store/sqlite/transaction.ts';
import type { Db } from '../../src/store/tables.ts';
import { temporaryFolder } from '../support/engines.ts';
import { randomFrom } from '../support/seed.ts';
import { ADA } from '../support/store.ts';

/** Left to itself, FTS5 merges some hundred pages inside one commit. */
describe('Short steps of the SQLite writer', () => {
  it('A write of content writes few pages, because the writer only queues it for the index', async (t) => {
    const { database, db } = await openDatabase(t);
    const random = randomFrom(t);
    await pagesOf(database, () => createAccount.run(db, ADA, sqliteEngine));
    const insert = database.prepare(
      `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
       VALUES (1, 'title', ?, '', '[]', 1, 0, 0)`,
    );
    const steps: number[] = [];
    for (let item = 0; item < 1_000; item++) {
      const text = kilobyteOfWords(random);
      steps.push(await pagesOf(database, async () => insert.run(text)));
    }
    assert.ok(Math.max(...steps) <= 26, `the longest creation wrote ${Math.max(...steps)} pages`);
  });

  it('A registration writes few pages, however many accounts there are', async (t) => {
    const { database, db } = await openDatabase(t);
    const random = randomFrom(t);
    const steps: number[] = [];
    for (let person = 0; person < 4_000; person++) {
      const username = `${word(random)}${person}`;
      const account = { ...ADA, username, email: `${username}@example.org` };
      steps.push(await pagesOf(database, () => createAccount.run(db, account, sqliteEngine)));
    }
    assert.ok(Math.max(...steps) <= 75, `the longest registration wrote ${Math.max(...steps)} pages`);
    assertFewParts(database, 'users_search');
  });
});

/** A search asks each part of the index. At sixteen of one level FTS5 merges all of them at once. */
function assertFewParts(database: DatabaseSync, index: string): void {
  const { parts } = database.prepare(`SELECT count(DISTINCT segid) AS parts FROM ${index}_idx`).get() ?? {};
  assert.ok(Number(parts) <= 24, `${index} has ${parts} parts`);
}

async function openDatabase(t: TestContext): Promise<{ database: DatabaseSync; db: Db }> {
  const database = openForWriting(join(await temporaryFolder(t), 'stoa.db'));
  t.after(() => database.close());
  database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
  await applyMigrations(database, MIGRATIONS);
  return { database, db: kyselyOn(database) };
}

/** The pages that one transaction of ours writes. */
async function pagesOf(database: DatabaseSync, work: () => Promise<unknown>): Promise<number> {
  const before = logLength(database).log;
  await inTransaction(database, work);
  return logLength(database).log - before;
}

function kilobyteOfWords(random: () => number): string {
  let text = '';
  while (text.length < 1_024) text += `${word(random)} `;
  return text;
}

/** Some words are everywhere and most are rare, as in any language. */
function word(random: () => number): string {
  return Math.floor(20_000 * random() ** 4)
    .toString(36)
    .padStart(3, 'x');
}
