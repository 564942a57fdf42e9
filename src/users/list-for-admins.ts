import { type RawBuilder, sql } from 'kysely';
import { type LivingSession, livingSession } from '../accounts/living-session.ts';
import { isPresent } from '../accounts/present.ts';
import { USER_COLUMNS } from '../accounts/tables.ts';
import type { AccountState, Role } from '../domain/account.ts';
import { forbidden } from '../domain/failure.ts';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { inTimeOn } from '../store/deadline.ts';
import { type Engine, readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { usersMatching } from './search.ts';

/** Each order ends with the id, so that it is one order. Who never signed in comes before all that did. */
const ORDERS = {
  id: sql`id`,
  '-id': sql`id desc`,
  username: sql`username_key`,
  '-username': sql`username_key desc`,
  created_at: sql`created_at, id`,
  '-created_at': sql`created_at desc, id desc`,
  last_sign_in_at: sql`coalesce(last_sign_in_at, 0), id`,
  '-last_sign_in_at': sql`coalesce(last_sign_in_at, 0) desc, id desc`,
} as const satisfies Record<string, RawBuilder<unknown>>;
export type Sort = keyof typeof ORDERS;
export const SORTS = Object.keys(ORDERS) as Sort[];

/** What is not given is no condition. Times are in milliseconds since 1970. */
interface Filter {
  /** Empty means everybody. */
  readonly keyword: string;
  readonly role?: Role | undefined;
  readonly state?: AccountState | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly secondFactor?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly lastSignInAfter?: number | undefined;
  readonly lastSignInBefore?: number | undefined;
}

interface AdminQuery extends PageRequest, Filter {
  readonly caller: LivingSession;
  readonly sort: Sort;
}

const COLUMNS = [
  ...USER_COLUMNS,
  'role',
  'disabled_at',
  'email_verified_at',
  'second_factor',
  'must_change_password',
  'last_sign_in_at',
  'closes_at',
] as const;
export type AdminRow = NonNullable<Awaited<ReturnType<typeof accountForAdmins>>>;

/** Accounts as admins see them, those that are hidden too. Fails with `forbidden` for everybody else. */
export const listUsersForAdmins = readOperation(
  'users.list_for_admins',
  async (db, query: AdminQuery, engine): Promise<Page<AdminRow>> => {
    await requireAdmin(db, query.caller);
    const { page, per_page } = query;
    const matching = sql`from users where ${sql.join(conditionsOf(query, engine), sql` and `)}`;
    const counted = await sql<{ total: number }>`select count(*) as total ${matching}`.execute(db);
    const total = Number(counted.rows[0]?.total ?? 0);
    if (offsetOf(query) >= total) return { items: [], total, page, per_page };
    const columns = sql.join(COLUMNS.map((name) => sql.ref(name)));
    const { rows } = await sql<AdminRow>`select ${columns} ${matching}
      order by ${ORDERS[query.sort]} limit ${per_page} offset ${offsetOf(query)}`.execute(db);
    return { items: rows, total, page, per_page };
  },
  () => true,
);

/** A personal access token is for what its owner does every day, and not for this. */
async function requireAdmin(db: Db, caller: LivingSession): Promise<void> {
  const account = await livingSession(db, caller).select(['users.role', 'sessions.scope']).executeTakeFirst();
  if (account?.role !== 'admin' || account.scope !== null)
    throw forbidden('Only an admin who has logged in may ask for "view=admin".');
}

/** By the index of `created_at` where that is asked for; else the whole table is looked at, within its time (0047). */
function conditionsOf(query: AdminQuery, engine: Engine): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [inTimeOn(engine, sql`id`), isPresent(query.caller.now)];
  const add = <Value>(value: Value | undefined, condition: (value: Value) => RawBuilder<unknown>) => {
    if (value !== undefined) conditions.push(condition(value));
  };
  add(query.role, (role) => sql`role = ${role}`);
  add(query.state, (state) => CONDITION_OF[state]);
  add(query.emailVerified, (is) =>
    is ? sql`email_verified_at is not null` : sql`email_verified_at is null`,
  );
  add(query.secondFactor, (has) => sql`second_factor = ${has ? 1 : 0}`);
  add(query.createdAfter, (time) => sql`created_at >= ${time}`);
  add(query.createdBefore, (time) => sql`created_at < ${time}`);
  add(query.lastSignInAfter, (time) => sql`last_sign_in_at >= ${time}`);
  add(query.lastSignInBefore, (time) => sql`last_sign_in_at < ${time}`);
  if (query.keyword !== '') conditions.push(sql`id in (${usersMatching(query.keyword, engine)})`);
  return conditions;
}

const CONDITION_OF: Record<AccountState, RawBuilder<unknown>> = {
  active: sql`closes_at is null and disabled_at is null`,
  disabled: sql`closes_at is null and disabled_at is not null`,
  closed: sql`closes_at is not null`,
};

/** One account as admins see it; undefined where there is none. */
export function accountForAdmins(db: Db, id: number, now: number) {
  return db.selectFrom('users').select(COLUMNS).where('id', '=', id).where(isPresent(now)).executeTakeFirst();
}
