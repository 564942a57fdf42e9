import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { BUCKET_SIZE } from '../../../src/store/counts.ts';
import { attachDerived } from '../../../src/store/sqlite/derived.ts';
import type { Ledger } from './ledger.ts';

/** Fails where the database file of a running service is damaged, or lacks anything that was acknowledged. */
export function assertDatabaseHolds(folder: string, ledger: Ledger): void {
  const file = join(folder, 'stoa.db');
  const database = new DatabaseSync(file, { timeout: 5_000 });
  attachDerived(database, file);
  try {
    assertSound(database);
    assertItems(database, ledger);
    assertAccounts(database, ledger);
  } finally {
    database.close();
  }
}

function assertSound(database: DatabaseSync): void {
  for (const each of ['main', 'derived'])
    assert.deepEqual(all(database, `PRAGMA ${each}.integrity_check`), [['ok']], each);
  assert.deepEqual(all(database, 'PRAGMA foreign_key_check'), []);
  for (const index of ['users_search', 'content_search']) {
    database.exec(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`);
  }
  for (const table of ['users', 'content']) {
    assert.deepEqual(
      all(database, `SELECT bucket, rows FROM ${table}_buckets WHERE rows <> 0 ORDER BY bucket`),
      all(database, `SELECT id / ${BUCKET_SIZE}, count(*) FROM visible_${table} GROUP BY 1 ORDER BY 1`),
      `the counted buckets of ${table}`,
    );
  }
  const searched = `SELECT rowid FROM content_search UNION
    SELECT content_id FROM content_search_queue WHERE place > (SELECT coalesce(max(place), 0) FROM content_search_state)`;
  assert.deepEqual(
    all(database, `SELECT id FROM visible_content WHERE id NOT IN (${searched})`),
    [],
    'each item is in the search index or waits for it',
  );
  assert.deepEqual(
    all(database, 'SELECT tag, content_id FROM content_tags ORDER BY 1, 2'),
    all(
      database,
      'SELECT tag.value, item.id FROM visible_content AS item, json_each(tags) AS tag ORDER BY 1, 2',
    ),
    'each tag is in the index',
  );
}

function assertItems(database: DatabaseSync, { items }: Ledger): void {
  const rows = database
    .prepare(
      'SELECT title, username, version, content FROM visible_content JOIN users ON users.id = author_id',
    )
    .all();
  assertVersions(database, rows);
  const found = new Map(rows.map(({ title, ...row }) => [String(title), row]));
  assert.equal(found.size, rows.length, 'an item is there twice');
  for (const title of found.keys()) assert.ok(items.has(title), `nobody wrote ${title}`);
  for (const expected of items.values()) {
    const row = found.get(expected.title);
    if (row) assert.equal(row.username, expected.author);
    const state = row ? { version: row.version, content: row.content } : null;
    const possible = [expected.acknowledged, ...(expected.pending === undefined ? [] : [expected.pending])];
    assert.ok(
      possible.some((each) => isDeepStrictEqual(each, state)),
      `${expected.title} is ${JSON.stringify(state)}, not any of ${JSON.stringify(possible)}`,
    );
    // From now on, what the crash left counts as acknowledged: it must not change by itself.
    expected.acknowledged =
      state === null ? null : (possible.find((each) => isDeepStrictEqual(each, state)) ?? null);
    expected.pending = undefined;
  }
}

/** A changed item has the version before, and no other. */
function assertVersions(database: DatabaseSync, items: readonly Record<string, unknown>[]): void {
  const expected = items
    .filter(({ version }) => version === 2)
    .map(({ title, content }) => [title, 1, String(content).replace('second ', '')]);
  const versions = `SELECT item.title, earlier.version, earlier.content FROM content_versions AS earlier
    JOIN visible_content AS item ON item.id = content_id`;
  assert.deepEqual(all(database, versions).sort(), expected.sort(), 'each change left the version before');
}

function assertAccounts(database: DatabaseSync, { accounts }: Ledger): void {
  const names = all(database, 'SELECT username FROM users').map(([name]) => String(name));
  const found = new Set(names);
  assert.equal(found.size, names.length, 'an account is there twice');
  for (const name of accounts) assert.ok(found.has(name), `the account ${name} is lost`);
}

function all(database: DatabaseSync, sql: string): unknown[][] {
  return database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row));
}
