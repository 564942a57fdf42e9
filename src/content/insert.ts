import { sql } from 'kysely';
import { type LivingSession, livingSession } from '../accounts/living-session.ts';
import { foldKey } from '../domain/text.ts';
import type { Engine } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

/** A new item by its columns, and the session that makes it. */
export interface NewRow extends LivingSession {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  /** As JSON. */
  readonly tags: string;
}

/** Inserts the item with what filters and search need of it at once. Undefined where the session lives no longer. */
export async function insertContent(
  db: Db,
  row: NewRow,
  engine: Engine,
): Promise<{ id: number } | undefined> {
  const [inserted] =
    engine.name === 'postgres'
      ? await insertAll(db, { ...row, foldedTitle: foldKey(row.title), foldedContent: foldKey(row.content) })
      : await insertRow(db, row);
  return inserted;
}

/** On SQLite filters and search find a new item by its row alone, until indexing has come to it. */
const insertRow = statement((db, row: NewRow) => insertion(db, row).returning('content.id'));

/**
 * On PostgreSQL the item, its tags for filtering and its text for searching are one statement, so one
 * round trip (decisions 0022).
 */
const insertAll = statement(
  (db, row: NewRow & { foldedTitle: string; foldedContent: string }) => sql<{ id: number }>`
    with item as (${insertion(db, row).returning(['content.id', 'content.tags'])}),
    tagged as (
      insert into content_tags (tag, content_id) select tag, id from item, json_array_elements_text(tags::json) as tag
    ),
    searchable as (
      insert into content_unindexed (content_id, title, content)
      select id, ${row.foldedTitle}, ${row.foldedContent} from item
    )
    select id from item`,
);

/** One row, or none where the session lives no longer. One that lives is locked until the item is committed. */
function insertion(db: Db, row: NewRow) {
  const author = livingSession(db, row).select([
    'users.id as author_id',
    sql<string>`${row.title}`.as('title'),
    sql<string>`${row.content}`.as('content'),
    sql<string>`${row.category}`.as('category'),
    sql<string>`${row.tags}`.as('tags'),
    sql.lit(1).as('version'),
    sql<number>`${row.now}`.as('created_at'),
    sql<number>`${row.now}`.as('updated_at'),
  ]);
  return db
    .insertInto('content')
    .columns(['author_id', 'title', 'content', 'category', 'tags', 'version', 'created_at', 'updated_at'])
    .expression(author.forShare('sessions'));
}
