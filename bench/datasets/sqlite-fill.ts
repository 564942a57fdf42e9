import { DatabaseSync } from 'node:sqlite';
import { numbered, slugOf } from '../../src/domain/slug.ts';
import { labelsBacklog } from '../../src/labels/count.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { DERIVED } from '../../src/schema/derived.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { pairsIn, wordsOfItem } from '../../src/search/words-of-item.ts';
import { attachDerived, prepareDerived } from '../../src/store/sqlite/derived.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { workOff } from '../../src/transfer/backlog.ts';
import { accounts } from './accounts.ts';
import type { Dataset } from './datasets.ts';
import { items } from './items.ts';

/**
 * Writes a dataset into a new database file of the current schema. The real triggers make the counts, the tags and the
 * search over accounts. What jobs of a service do later is done here (words, slugs, counts of labels, the end of read
 * changes), because a row would measure these jobs beside its requests. A crash may damage the file, because an
 * unfinished file is thrown away.
 */
export async function fillSqlite(file: string, dataset: Dataset, passwordHash: string): Promise<void> {
  await migrateSqlite(file, MIGRATIONS, 'command', () => {});
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2097152');
    database.exec('PRAGMA temp_store = MEMORY; PRAGMA locking_mode = EXCLUSIVE');
    prepareDerived(file, DERIVED);
    attachDerived(database, file);
    database.exec('PRAGMA derived.synchronous = OFF');
    database.exec('BEGIN');
    insertAccounts(database, dataset.accounts, passwordHash);
    insertItems(database, dataset.items, dataset.accounts);
    database.exec(`INSERT INTO content_search_state (only, database, place, seen)
      SELECT 1, id, place, place FROM database_id, (SELECT coalesce(max(place), 0) AS place FROM content_search_queue)`);
    database.exec(
      'DELETE FROM content_search_queue WHERE place < (SELECT max(place) FROM content_search_queue)',
    );
    database.exec('DELETE FROM changes WHERE number < (SELECT max(number) FROM changes)');
    database.exec('COMMIT; PRAGMA main.journal_mode = WAL');
  } finally {
    database.close();
  }
  await countLabels(file);
}

async function countLabels(file: string): Promise<void> {
  const end = await openMoveEnd({ kind: 'sqlite', file }, 'target');
  await workOff(end, labelsBacklog).finally(() => end.close());
}

function insertAccounts(database: DatabaseSync, count: number, passwordHash: string): void {
  const insert = database.prepare(
    `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  for (const row of accounts(count)) {
    insert.run(row.username, row.username_key, row.email, row.email_key, passwordHash, row.created_at);
  }
}

function insertItems(database: DatabaseSync, count: number, authors: number): void {
  const insert = database.prepare(
    `INSERT INTO content (author_id, title, content, category, tags, slug, version, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`,
  );
  const index = database.prepare(
    'INSERT INTO content_search (rowid, title, words, pairs) VALUES (?, ?, ?, ?)',
  );
  let id = 0;
  for (const row of items(count, authors)) {
    id++;
    const tags = JSON.stringify(row.tags);
    const slug = numbered(slugOf(row.title), id);
    insert.run(
      row.author_id,
      row.title,
      row.content,
      row.category,
      tags,
      slug,
      row.created_at,
      row.created_at,
    );
    const [title, words] = [wordsOfItem({ title: row.title }), wordsOfItem({ content: row.content })];
    index.run(id, title, words, pairsIn([title, words]));
  }
}
