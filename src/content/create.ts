import { sql } from 'kysely';
import { type LivingSession, livingSession } from '../accounts/living-session.ts';
import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { statementWrite } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { ContentRow } from './contract.ts';

/** A new item by its columns, and the session that makes it. */
interface NewRow extends LivingSession {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  /** As JSON. */
  readonly tags: string;
}

/** One row, or none where the session lives no longer. One that lives is locked until the item is committed. */
const insertRow = statement((db, row: NewRow) => {
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
    .expression(author.forShare('sessions'))
    .returning('content.id');
});

/**
 * Creates an item; only its id comes back, since the caller has the rest. A `callerWrite` in one statement:
 * it inserts nothing where the session no longer lives, and fails with `token_revoked`.
 */
export const createContent = statementWrite('content.create', insertRow, ([inserted]): { id: number } => {
  if (!inserted) throw tokenRevoked();
  return inserted;
});

interface NewItem {
  readonly caller: Omit<Caller, 'role'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}

/** Creates an item and returns its row. Fails with `token_revoked` when the session no longer lives. */
export async function create(store: Store, { caller, now, ...item }: NewItem): Promise<ContentRow> {
  const { sessionId, userId, username } = caller;
  const row = { ...item, tags: JSON.stringify(item.tags) };
  const { id } = await store.write(createContent, { ...row, sessionId, userId, now });
  return {
    id,
    title: row.title,
    content: row.content,
    category: row.category,
    tags: row.tags,
    version: 1,
    author_id: userId,
    author_name: username,
    created_at: now,
    updated_at: now,
  };
}
