import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { type LivingSession, livingSession } from '../sessions/living-session.ts';
import { type ColumnsSetBy, columnsOfNew } from '../store/fields.ts';
import { statementWrite } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { ContentRow, NewContent } from './contract.ts';
import { CONTENT_FIELDS, type ContentFields, WRITTEN } from './fields.ts';

/** The columns of a new item, and the session that makes it. */
type NewRow = LivingSession & ColumnsSetBy<ContentFields, 'author'>;

export const newRow = columnsOfNew(CONTENT_FIELDS, 'author');

/** One row, or none if the session has ended. A living session is locked until the commit. */
const insertRow = statement((db, row: NewRow) => {
  const author = livingSession(db, row).select([
    'users.id as author_id',
    ...WRITTEN.map((name) => sql<string>`${row[name]}`.as(name)),
    sql.lit(1).as('version'),
    sql<number>`${row.now}`.as('created_at'),
    sql<number>`${row.now}`.as('updated_at'),
  ]);
  return db
    .insertInto('content')
    .columns(['author_id', ...WRITTEN, 'version', 'created_at', 'updated_at'])
    .expression(author.forShare('sessions'))
    .returning('content.id');
});

/**
 * Creates an item and returns only its id, because the caller has the rest. A `callerWrite` in one statement: if the
 * session has ended, it inserts nothing and fails with `token_revoked`.
 */
export const createContent = statementWrite('content.create', insertRow, ([inserted]): { id: number } => {
  if (!inserted) throw tokenRevoked();
  return inserted;
});

export interface NewItem {
  readonly caller: Omit<Caller, 'role'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly item: Static<typeof NewContent>;
}

/** Creates an item and returns its row. Fails with `token_revoked` if the session has ended. */
export async function create(store: Store, { caller, now, item }: NewItem): Promise<ContentRow> {
  const { sessionId, userId, username } = caller;
  const row = newRow(item);
  const made = await store.write(createContent, { ...row, sessionId, userId, now });
  return madeRow(made, row, { userId, username, at: now });
}

/** The row of a new item. `at` is in milliseconds since 1970. */
export function madeRow(
  made: { readonly id: number },
  row: ReturnType<typeof newRow>,
  { userId, username, at }: { readonly userId: number; readonly username: string; readonly at: number },
): ContentRow {
  const author = { author_id: userId, author_name: username };
  return { ...made, ...row, version: 1, ...author, created_at: at, updated_at: at };
}
