import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { type LivingSession, livingSession } from '../sessions/living-session.ts';
import { type ColumnsSetBy, columnsOfNew } from '../store/fields.ts';
import { type Engine, statementWrite } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import type { ContentRow, NewContent } from './contract.ts';
import { CONTENT_FIELDS, type ContentFields, WRITTEN } from './fields.ts';
import { requireDraftForTime, requireScheduleOfItem } from './schedule.ts';
import { withVisible } from './visibility.ts';

/** The columns of a new item, and the session that makes it. */
type NewRow = LivingSession & ColumnsSetBy<ContentFields, 'author'> & { readonly visible: 0 | 1 };

const columnsOf = columnsOfNew(CONTENT_FIELDS, 'author');

/** The columns of a new item. Fails with `validation_failed` where what is published has a time to be published. */
export function newRow(item: object) {
  const row = columnsOf(item);
  requireDraftForTime(row.status, row.publish_at);
  const { visible } = withVisible({ trashed_at: null, status: row.status });
  return { ...row, visible };
}

/** One row, or none if the session has ended. A living session is locked until the commit. */
const insertRow = statement((db, row: NewRow) => {
  const author = livingSession(db, row).select([
    'users.id as author_id',
    ...WRITTEN.map((name) => sql<string>`${row[name]}`.as(name)),
    sql<0 | 1>`${row.visible}`.as('visible'),
    sql.lit(1).as('version'),
    sql<number>`${row.now}`.as('created_at'),
    sql<number>`${row.now}`.as('updated_at'),
  ]);
  return db
    .insertInto('content')
    .columns(['author_id', ...WRITTEN, 'visible', 'version', 'created_at', 'updated_at'])
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

/**
 * The same inside a write that has the engine. A draft with a time is counted first. Fails with `limit_reached` too.
 */
export async function createWithin(db: Db, engine: Engine, row: NewRow): Promise<{ id: number }> {
  if (row.publish_at !== null) await requireScheduleOfItem(db, engine, row.userId);
  return createContent.run(db, row, engine);
}

export const createScheduled = callerWrite(
  'content.create_scheduled',
  (db, { row, caller, now }: CallerInput & { readonly row: ReturnType<typeof newRow> }, _caller, engine) =>
    createWithin(db, engine, { ...row, ...caller, now }),
);

/** Creates an item and returns its row. Fails with `token_revoked` if the session has ended, and with `limit_reached`. */
export async function create(store: Store, { caller, now, item }: NewItem): Promise<ContentRow> {
  const { sessionId, userId, username } = caller;
  const row = newRow(item);
  const made =
    row.publish_at === null
      ? await store.write(createContent, { ...row, sessionId, userId, now })
      : await store.write(createScheduled, { row, caller: { sessionId, userId }, now });
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
