import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../domain/failure.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { DELETED_ACCOUNT } from './deleted-account.ts';

/**
 * A condition on rows of `users`: the account is there for administrators, open or not. An account whose time is over is
 * there for nobody, although a job may still be removing its rows. Neither is "deleted account". `now` is in milliseconds
 * since 1970.
 */
export function isPresent(now: number): RawBuilder<boolean> {
  return sql<boolean>`(username_key <> ${DELETED_ACCOUNT} and (closes_at is null or closes_at > ${now}))`;
}

/** The same as a list of the few that are not there, for statements that read only an index with the column. */
export function isPresentByKey(key: 'id' | 'username_key', now: number): RawBuilder<boolean> {
  const column = sql.ref(key);
  return sql<boolean>`${column} not in (
    select ${column} from users where closes_at <= ${now}
    union all select ${column} from users where username_key = ${DELETED_ACCOUNT})`;
}

/** Is there such an account? Fails with `not_found`. */
export async function requireAccount(db: Db, id: number, now: number): Promise<void> {
  const account = db.selectFrom('users').select('id').where('id', '=', id);
  if (!(await account.where(isPresent(now)).executeTakeFirst())) throw notFound('user');
}

export type LockedAccount = Awaited<ReturnType<typeof lockAccount>>;

/** What a change by another user may change, locked until the write ends. Fails with `not_found`. */
export async function lockAccount(db: Db, id: number, now: number, engine: Engine) {
  await engine.lock(db, `account ${id}`);
  const account = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'email_verified_at', 'role', 'disabled_at', 'must_change_password'])
    .where('id', '=', id)
    .where(isPresent(now))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!account) throw notFound('user');
  return account;
}
