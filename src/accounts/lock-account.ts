import { notFound } from '../domain/failure.ts';
import type { Db } from '../store/tables.ts';
import { DELETED_ACCOUNT } from './deleted-account.ts';

/** Is there such an account? Fails with `not_found`. */
export async function requireAccount(db: Db, id: number): Promise<void> {
  const account = db.selectFrom('users').select('id').where('id', '=', id);
  const found = await account.where('username_key', '!=', DELETED_ACCOUNT).executeTakeFirst();
  if (!found) throw notFound('user');
}

/** What a change by somebody else may change, as it stays until the write ends. Fails with `not_found`. */
export async function lockAccount(db: Db, id: number) {
  const account = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'role', 'disabled_at', 'must_change_password'])
    .where('id', '=', id)
    .where('username_key', '!=', DELETED_ACCOUNT)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!account) throw notFound('user');
  return account;
}
