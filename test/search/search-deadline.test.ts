import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { listUsers } from '../../src/accounts/list.ts';
import { listEvents } from '../../src/audit/list.ts';
import { Failure } from '../../src/domain/failure.ts';
import { listLabels } from '../../src/labels/list.ts';
import { listDrafts } from '../../src/lists/drafts.ts';
import { listContent } from '../../src/lists/list.ts';
import { tookTooLong } from '../../src/store/deadline.ts';
import { attachDerived } from '../../src/store/sqlite/derived.ts';
import { kyselyOn, sqliteEngine } from '../../src/store/sqlite/dialect.ts';
import { listVersions } from '../../src/versions/list.ts';
import { lifetimeOfSuite, onEveryEngine, sqlite } from '../support/engines.ts';
import { lookAtMany } from '../support/gated-operations.ts';
import { insertNote, readNoteLong } from '../support/operations.ts';
import { openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

onEveryEngine('A search that looks at too many rows', (engine) => {
  it('A search that looks at too many rows ends as busy when its time is over', async (t) => {
    const store = await openTestStore(t, engine, { ...WITH_TEST_OPERATIONS, patience: 1 });
    await store.write(insertNote, 'note');
    await assert.rejects(store.read(lookAtMany, null), isTooLong);
    assert.equal(await store.read(readNoteLong, 'note'), '0');
  });
});

describe('The time limit of searches on SQLite', () => {
  const page = { page: 1, per_page: 20 };
  const filter = { category: '' };
  // One for all searches, which only read.
  let database: DatabaseSync;
  let hasTime = true;
  after(() => database.close());
  const lifetime = lifetimeOfSuite();
  before(async () => {
    const { DATA_DIR = '' } = await sqlite.settings(lifetime);
    const file = join(DATA_DIR, 'stoa.db');
    database = new DatabaseSync(file);
    attachDerived(database, file);
    database.exec(MANY);
    database.function('stoa_in_time', () => {
      if (hasTime) return 1;
      throw tookTooLong();
    });
  });

  for (const [what, run] of [
    ['users by a part of their names', (db) => listUsers.run(db, { ...page, keyword: 'name' }, sqliteEngine)],
    [
      'users by two letters that nobody has',
      (db) => listUsers.run(db, { ...page, keyword: 'qq' }, sqliteEngine),
    ],
    [
      'events of one kind and address',
      (db) => listEvents.run(db, { ...page, event: 'signed_in', address: 'a' }, sqliteEngine),
    ],
    ['events of a time', (db) => listEvents.run(db, { ...page, since: 1 }, sqliteEngine)],
    ['content by a word', (db) => listContent.run(db, { ...page, ...filter, keyword: 'word' }, sqliteEngine)],
    ...(
      [
        ['some tags', { tags: ['a', 'b'] }],
        ['any of some tags', { anyTags: ['a', 'b'] }],
        ['a tag and a category', { tags: ['a'], category: 'c' }],
        ['a tag and a language', { tags: ['a'], language: 'de' }],
        ['a tag and an author', { tags: ['a'], author: 1 }],
        ['a tag and a time', { tags: ['a'], created: { from: 0 } }],
      ] as const
    ).map(
      ([what, by]) =>
        [
          `content by ${what}`,
          (db: ReturnType<typeof kyselyOn>) =>
            listContent.run(db, { ...page, ...filter, keyword: '', ...by, reader: 'account' }, sqliteEngine),
        ] as const,
    ),
    [
      'content by a tag, for strangers where an item is for members',
      (db) => listContent.run(db, { ...page, ...filter, keyword: '', tags: ['a'] }, sqliteEngine),
    ],
    [
      'drafts by a tag and a language',
      (db) =>
        listDrafts.run(
          db,
          { ...page, ...filter, status: 'draft', tags: ['a'], language: 'de', userId: 1 },
          sqliteEngine,
        ),
    ],
    [
      'items with a draft beside them',
      (db) => listDrafts.run(db, { ...page, ...filter, status: 'with_draft', userId: 1 }, sqliteEngine),
    ],
    ['versions of one item', (db) => listVersions.run(db, { ...page, id: 1, userId: 1 }, sqliteEngine)],
    [
      'tags by how many items have them',
      (db) => listLabels.run(db, { ...page, kind: 'tag', prefix: '', reader: 'account' }, sqliteEngine),
    ],
    [
      'tags by their beginning',
      (db) => listLabels.run(db, { ...page, kind: 'tag', prefix: 't', reader: 'account' }, sqliteEngine),
    ],
  ] as const satisfies readonly (readonly [string, (db: ReturnType<typeof kyselyOn>) => Promise<unknown>])[])
    it(`A search of ${what} is ended in time among very many rows`, async () => {
      const db = kyselyOn(database);
      hasTime = true;
      await run(db);
      hasTime = false;
      await assert.rejects(run(db), isTooLong);
    });
});

const MANY = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
  INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
  SELECT 'name' || i, 'name' || i, i || '@example.org', i || '@example.org', '', i FROM n;
  INSERT INTO audit_events (at, event, address, detail) SELECT id, 'signed_in', 'a', '{}' FROM users;
  INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, language)
  SELECT 1, 'word', '', 'c', '["a","b"]', 1, 0, 0, 'de' FROM users;
  INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, visibility)
  VALUES (1, '', '', '', '[]', 1, 0, 0, 'members');
  DELETE FROM label_changes;
  INSERT INTO content_versions
    (content_id, version, title, category, tags, changed_at, replaced_at, replaced_members, bytes, content)
  SELECT 1, id, 'word', '', '[]', 0, 0, '[]', 0, '' FROM users;
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
  INSERT INTO label_counts (kind, name, name_key, items, public_items) SELECT 'tag', 't' || i, 't' || i, 1, 1 FROM n;
  INSERT INTO content_search (rowid, words) SELECT id, title FROM content;
  INSERT INTO content
    (author_id, title, content, category, tags, version, created_at, updated_at, language, visible, status)
  SELECT 1, '', '', '', '["a"]', 1, 0, 0, 'de', 0, 'draft' FROM users;
  INSERT INTO content_drafts (content_id, version, over_version, written, saved_at, saved_by)
  SELECT id, 1, 1, '{}', 0, 1 FROM content WHERE status = 'published'`;

function isTooLong(error: unknown): boolean {
  return error instanceof Failure && error.data.error === 'busy' && /took too long/.test(error.data.message);
}
