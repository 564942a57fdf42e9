import { type RawBuilder, sql } from 'kysely';
import type { AccountState } from '../domain/account.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import type { Page, PageRequest, Walk, WalkRequest } from '../domain/page.ts';
import { type LivingSession, livingSession } from '../sessions/living-session.ts';
import { countRows } from '../store/count-rows.ts';
import { countedTable } from '../store/counts.ts';
import { inTimeOn } from '../store/deadline.ts';
import { columnsFor } from '../store/fields.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { walkOf } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import type { AdminParameters } from './admin-contract.ts';
import { fromNearerEnd, type Place, tableOf } from './admin-order.ts';
import { ACCOUNT_FIELDS } from './fields.ts';
import { isPresent, isPresentByKey } from './lock-account.ts';
import { usersMatching } from './search.ts';

/**
 * A set of at most this many accounts is sorted. In a larger one, the index of the order is read from the nearer end, and
 * accounts that are not in the set are passed over.
 */
export const SORTED = 1_000;

const counted = countedTable('users');

/** What is not given is no condition. An empty keyword means everybody. */
interface Conditions extends AdminParameters {
  readonly caller: LivingSession;
  readonly keyword: string;
}

type AdminQuery = Conditions & PageRequest;

const COLUMNS = columnsFor(ACCOUNT_FIELDS, 'admins');
export type AdminRow = Awaited<ReturnType<typeof accountForAdmins>>;

/** Accounts as admins see them, those that are hidden too. Fails with `forbidden` for everybody else. */
export const listUsersForAdmins = readOperation(
  'accounts.list_for_admins',
  async (db, query: AdminQuery, engine): Promise<Page<AdminRow>> => {
    await requireAdmin(db, query.caller);
    return filtersOf(query, engine).length > 0 ? pageOfSome(db, query, engine) : pageOfAll(db, query, engine);
  },
  () => true,
);

/**
 * Triggers count all accounts but the closed ones. The page is found by its keys, which only the index of the order is
 * read for: reading half a million rows out of their order takes seconds.
 */
async function pageOfAll(db: Db, query: AdminQuery, engine: Engine): Promise<Page<AdminRow>> {
  const { sort = 'id', page, per_page, caller } = query;
  const closed = await countRows(db, db.selectFrom('users').select('id').where('closes_at', '>', caller.now));
  const total = (await counted.total(db)) + closed;
  const from = tableOf(sort, engine);
  const items = await fromNearerEnd(sort, query, total, (place) =>
    accountsByKeys(
      db,
      from,
      place,
      sql`${isPresentByKey(place.key, caller.now)} and ${inTimeOn(engine, sql`id`)}`,
    ),
  );
  return { items, total, page, per_page };
}

async function pageOfSome(db: Db, query: AdminQuery, engine: Engine): Promise<Page<AdminRow>> {
  const { sort = 'id', keyword, page, per_page } = query;
  const matching = accountsThat(db, query, engine);
  // The accounts of a keyword are in an index of their own, and it would be read once more.
  const isOfKeyword = keyword !== '';
  const few = isOfKeyword ? undefined : await fewOf(matching);
  const rows = few ? db.selectFrom('users').select(COLUMNS).where('id', 'in', few) : matching.select(COLUMNS);
  const total = few ? few.length : await countRows(db, matching.select('id'));
  const from = few || isOfKeyword ? 'users' : tableOf(sort, engine);
  const items = await fromNearerEnd(sort, query, total, (place) =>
    from === 'users'
      ? rows.orderBy(place.by).limit(place.limit).offset(place.offset).execute()
      : accountsByKeys(db, from, place, sql`id in (${matching.select('id')})`),
  );
  return { items, total, page, per_page };
}

/** The accounts of a page whose keys are in the table `from`, which has the index of the order. */
async function accountsByKeys(
  db: Db,
  from: ReturnType<typeof tableOf>,
  { key, by, limit, offset }: Place,
  condition: RawBuilder<boolean>,
) {
  const inOrder = db.selectFrom(from).select(key).where(condition).orderBy(by);
  const keys = (await inOrder.limit(limit).offset(offset).execute()).map((row) => row[key]);
  if (keys.length === 0) return [];
  return db.selectFrom('users').select(COLUMNS).where(key, 'in', keys).orderBy(by).execute();
}

/** The ids of these accounts, if there are at most `SORTED`. */
async function fewOf(accounts: ReturnType<typeof accountsThat>): Promise<number[] | undefined> {
  const found = await accounts
    .select('id')
    .limit(SORTED + 1)
    .execute();
  return found.length <= SORTED ? found.map(({ id }) => id) : undefined;
}

/** The next accounts of the same list by id. */
export const walkUsersForAdmins = readOperation(
  'accounts.walk_for_admins',
  async (db, query: Conditions & WalkRequest, engine): Promise<Walk<AdminRow>> => {
    await requireAdmin(db, query.caller);
    const rows = accountsThat(db, query, engine).select(COLUMNS).orderBy('id');
    return walkOf(query, ({ after, limit }) => rows.where('id', '>', after).limit(limit).execute());
  },
  () => true,
);

function accountsThat(db: Db, query: Conditions, engine: Engine) {
  const conditions = [inTimeOn(engine, sql`id`), isPresent(query.caller.now), ...filtersOf(query, engine)];
  return db.selectFrom('users').where(sql<boolean>`${sql.join(conditions, sql` and `)}`);
}

/** A personal access token is for what its owner does every day, and not for this. */
async function requireAdmin(db: Db, caller: LivingSession): Promise<void> {
  const account = await livingSession(db, caller).select(['users.role', 'sessions.scope']).executeTakeFirst();
  if (account?.role !== 'admin' || account.scope !== null)
    throw forbidden('Only an admin who has logged in may ask for "view=admin".');
}

/**
 * The conditions of the query. `created_at` is looked up in an index. For the others the whole table is read, within its
 * time (docs/decisions/lists-and-search.md).
 */
function filtersOf(query: Conditions, engine: Engine): RawBuilder<unknown>[] {
  const filters: RawBuilder<unknown>[] = [];
  const add = <Value>(value: Value | undefined, condition: (value: Value) => RawBuilder<unknown>) => {
    if (value !== undefined) filters.push(condition(value));
  };
  add(query.role, (role) => sql`role = ${role}`);
  add(query.state, (state) => CONDITION_OF[state]);
  add(query.email_verified, (is) =>
    is === 'true' ? sql`email_verified_at is not null` : sql`email_verified_at is null`,
  );
  add(query.second_factor, (has) => sql`second_factor = ${has === 'true' ? 1 : 0}`);
  add(query.created_after, (time) => sql`created_at >= ${Date.parse(time)}`);
  add(query.created_before, (time) => sql`created_at < ${Date.parse(time)}`);
  add(query.last_sign_in_after, (time) => sql`last_sign_in_at >= ${Date.parse(time)}`);
  add(query.last_sign_in_before, (time) => sql`last_sign_in_at < ${Date.parse(time)}`);
  if (query.keyword !== '') filters.push(sql`id in (${usersMatching(query.keyword, engine)})`);
  return filters;
}

const CONDITION_OF: Record<AccountState, RawBuilder<unknown>> = {
  active: sql`closes_at is null and disabled_at is null`,
  disabled: sql`closes_at is null and disabled_at is not null`,
  closed: sql`closes_at is not null`,
};

/** One account as admins see it, closed or not. Fails with `not_found`, also for one that is being removed. */
export async function accountForAdmins(db: Db, id: number, now: number) {
  const accounts = db.selectFrom('users').select(COLUMNS).where('id', '=', id).where(isPresent(now));
  const account = await accounts.executeTakeFirst();
  if (!account) throw notFound('user');
  return account;
}

export const findUserForAdmin = readOperation(
  'accounts.find_for_admin',
  (db, { id, now }: { readonly id: number; readonly now: number }): Promise<AdminRow> =>
    accountForAdmins(db, id, now),
);
