import { type RawBuilder, sql } from 'kysely';
import type { AccountState } from '../domain/account.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import type { Page, PageRequest, Walk, WalkRequest } from '../domain/page.ts';
import { type LivingSession, livingSession } from '../sessions/living-session.ts';
import { inTimeOn } from '../store/deadline.ts';
import { columnsFor } from '../store/fields.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import { countThenPage, walkOf } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import type { AdminParameters, Sort } from './admin-contract.ts';
import { ACCOUNT_FIELDS } from './fields.ts';
import { isPresent } from './lock-account.ts';
import { usersMatching } from './search.ts';

/** Each order ends with the id, so that it is one order. Accounts that never signed in come first. */
const ORDERS = {
  id: sql`id`,
  '-id': sql`id desc`,
  username: sql`username_key`,
  '-username': sql`username_key desc`,
  created_at: sql`created_at, id`,
  '-created_at': sql`created_at desc, id desc`,
  last_sign_in_at: sql`coalesce(last_sign_in_at, 0), id`,
  '-last_sign_in_at': sql`coalesce(last_sign_in_at, 0) desc, id desc`,
} satisfies Record<Sort, RawBuilder<unknown>>;

const OPPOSITE = {
  id: '-id',
  '-id': 'id',
  username: '-username',
  '-username': 'username',
  created_at: '-created_at',
  '-created_at': 'created_at',
  last_sign_in_at: '-last_sign_in_at',
  '-last_sign_in_at': 'last_sign_in_at',
} satisfies Record<Sort, Sort>;

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
    const matching = accountsThat(db, query, engine);
    const { sort = 'id', per_page } = query;
    const rows = matching.select(COLUMNS);
    return countThenPage(query, matching, async (offset, total) => {
      const limit = Math.min(per_page, total - offset);
      const beyond = total - offset - limit;
      if (offset <= beyond) return rows.orderBy(ORDERS[sort]).limit(limit).offset(offset).execute();
      // From the end, which is nearer: the last page costs what the first one does.
      const reversed = rows.orderBy(ORDERS[OPPOSITE[sort]]).limit(limit).offset(beyond);
      return (await reversed.execute()).reverse();
    });
  },
  () => true,
);

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
  return db.selectFrom('users').where(sql<boolean>`${sql.join(conditionsOf(query, engine), sql` and `)}`);
}

/** A personal access token is for what its owner does every day, and not for this. */
async function requireAdmin(db: Db, caller: LivingSession): Promise<void> {
  const account = await livingSession(db, caller).select(['users.role', 'sessions.scope']).executeTakeFirst();
  if (account?.role !== 'admin' || account.scope !== null)
    throw forbidden('Only an admin who has logged in may ask for "view=admin".');
}

/**
 * By the index of `created_at` where that is asked for; else the whole table is looked at, within its time
 * (docs/decisions/lists-and-search.md).
 */
function conditionsOf(query: Conditions, engine: Engine): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [inTimeOn(engine, sql`id`), isPresent(query.caller.now)];
  const add = <Value>(value: Value | undefined, condition: (value: Value) => RawBuilder<unknown>) => {
    if (value !== undefined) conditions.push(condition(value));
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
  if (query.keyword !== '') conditions.push(sql`id in (${usersMatching(query.keyword, engine)})`);
  return conditions;
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
