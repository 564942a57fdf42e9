import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';

/** One user by id. Fails with `not_found`. */
export const findUser = readOperation('users.find', async (db, id: number) => {
  const row = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('user');
  return row;
});
