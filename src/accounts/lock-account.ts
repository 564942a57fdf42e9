import { notFound } from '../domain/failure.ts';
import type { Db } from '../store/tables.ts';
import { isPresent } from './present.ts';

/** Is there such an account? Fails with `not_found`. */
export async function requireAccount(db: Db, id: number, now: number): Promise<void> {
  const account = db.selectFrom('users').select('id').where('id', '=', id);
  if (!(await account.where(isPresent(now)).executeTakeFirst())) throw notFound('user');
}

/** What a change by another user may change, locked until the write ends. Fails with `not_found`. */
export async function lockAccount(db: Db, id: number, now: number) {
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
