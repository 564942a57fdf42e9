import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Caller } from '../domain/account.ts';
import { busy, Failure, tokenRevoked } from '../domain/failure.ts';
import { slugOf } from '../domain/slug.ts';
import { noteTaken, probableSlug } from '../services/slug-numbers.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { type LivingSession, livingSession, SHARES_ACCOUNT } from '../sessions/living-session.ts';
import { UniqueViolation } from '../store/constraint.ts';
import { columnsOfNew } from '../store/fields.ts';
import { type Engine, statementWrite } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import type { ContentInput } from './body-contract.ts';
import type { ContentRow } from './contract.ts';
import { CONTENT_FIELDS, WRITTEN } from './fields.ts';
import { requireDraftForTime, requireScheduleOfItem } from './schedule.ts';
import { freeSlugs, HOLDS_SLUG, isFree, slugLock, slugTaken } from './slug-claim.ts';
import { withVisible } from './visibility.ts';

const columnsOf = columnsOfNew(CONTENT_FIELDS, 'author');

/** The columns of a new item. Fails with `validation_failed` where what is published has a time to be published. */
export function newRow(item: object) {
  const row = columnsOf(item);
  requireDraftForTime(row.status, row.publish_at);
  const { visible } = withVisible({ trashed_at: null, status: row.status });
  return { ...row, visible };
}

/** The columns of a new item, and the session that makes it. */
type NewRow = LivingSession & ReturnType<typeof newRow>;

/** One row; none if the session has ended or another write holds it, or if the slug is taken. It keeps nobody waiting. */
const insertOn = (engine: Engine['name']) =>
  statement((db, row: NewRow) => {
    const author = livingSession(db, row)
      .select([
        'users.id as author_id',
        ...WRITTEN.map((name) => sql<string>`${row[name]}`.as(name)),
        sql<0 | 1>`${row.visible}`.as('visible'),
        sql.lit(1).as('version'),
        sql<number>`${row.now}`.as('created_at'),
        sql<number>`${row.now}`.as('updated_at'),
      ])
      .where(SHARES_ACCOUNT[engine](row.userId))
      .where(HOLDS_SLUG[engine](row.slug))
      .where(isFree(row.slug));
    return db
      .insertInto('content')
      .columns(['author_id', ...WRITTEN, 'visible', 'version', 'created_at', 'updated_at'])
      .expression(author.forShare('sessions').skipLocked())
      .onConflict((conflict) => conflict.doNothing())
      .returning(['content.id', 'content.slug']);
  });

const insertRow = { sqlite: insertOn('sqlite'), postgres: insertOn('postgres') };

/** What the database gives a new item. */
interface Made {
  readonly id: number;
  readonly slug: string | null;
}

/**
 * Creates an item and returns only what the caller lacks. A `callerWrite` in one statement: if the session has ended, or
 * if the slug is taken, it inserts nothing and fails with `token_revoked`. `createNumbered` tells the two apart.
 */
export const createContent = statementWrite('content.create', insertRow, ([inserted]): Made => {
  if (!inserted) throw tokenRevoked();
  return inserted;
});

interface NewOfCaller extends CallerInput {
  /** Without a slug, it is made of the title. */
  readonly row: ReturnType<typeof newRow>;
}

/**
 * Creates an item inside a write that has locked the session of the caller. A slug that is made of the title gets a number
 * where it is taken. A draft with a time is counted first. Fails with `taken`, with `limit_reached`, or with `busy` where
 * too many others take such names at the same time.
 */
export async function insertNamed(db: Db, engine: Engine, { row, caller, now }: NewOfCaller): Promise<Made> {
  const insert = async (slug: string) => {
    const input = { ...row, slug, ...caller, now };
    // The lock is got before the statement looks, so it sees what the last write with the lock did.
    const [, [made]] = await Promise.all([
      engine.tryLock(db, slugLock(slug)),
      insertRow[engine.name](db, input),
    ]);
    return made;
  };
  if (row.publish_at !== null) await requireScheduleOfItem(db, engine, caller.userId);
  const first = row.slug ?? slugOf(row.title);
  const made = await insert(first);
  if (made) return made;
  if (row.slug !== null) throw slugTaken();
  for (const slug of await freeSlugs(db, first)) {
    const numbered = await insert(slug);
    if (numbered) return numbered;
  }
  throw busy('Too many items with this title are created at once; try again.');
}

export const createNumbered = callerWrite(
  'content.create_numbered',
  (db, input: NewOfCaller, _caller, engine) => insertNamed(db, engine, input),
);

export interface NewItem {
  readonly caller: Omit<Caller, 'role'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly item: Static<typeof ContentInput>;
}

/**
 * Creates an item and returns its row. Almost always that is one statement; another write follows where the slug is
 * taken, or makes a draft with a time. Fails with `token_revoked` if the session has ended, or as `insertNamed`.
 */
export async function create(store: Store, { caller, now, item }: NewItem): Promise<ContentRow> {
  const { sessionId, userId, username } = caller;
  const row = newRow(item);
  const inSteps = () => store.write(createNumbered, { row, caller: { sessionId, userId }, now });
  const slug = row.slug ?? probableSlug(store, row.title);
  const made =
    row.publish_at === null
      ? await store
          .write(createContent, { ...row, slug, sessionId, userId, now })
          .catch(async (error: unknown) => {
            if (!isNotMade(error)) throw error;
            const numbered = await inSteps();
            if (row.slug === null) noteTaken(store, row.title, slug, numbered.slug);
            return numbered;
          })
      : await inSteps();
  return madeRow(made, row, { userId, username, at: now });
}

/** On PostgreSQL a statement that began before another write gave its slug up is refused by a trigger. */
function isNotMade(error: unknown): boolean {
  if (error instanceof UniqueViolation) return true;
  return error instanceof Failure && error.data.error === 'token_revoked';
}

/** The row of a new item. `at` is in milliseconds since 1970. */
export function madeRow(
  made: Made,
  row: ReturnType<typeof newRow>,
  { userId, username, at }: { readonly userId: number; readonly username: string; readonly at: number },
): ContentRow {
  const author = { author_id: userId, author_name: username };
  return { ...row, ...made, version: 1, ...author, created_at: at, updated_at: at };
}
