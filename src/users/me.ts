import { USER_COLUMNS } from '../accounts/tables.ts';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';

const userById = statement((db, input: { id: number }) =>
  db
    .selectFrom('users')
    .select([...USER_COLUMNS, 'role', 'email_verified_at'])
    .where('id', '=', input.id),
);

/** One user by id. Fails with `not_found`. */
export const findUser = readOperation('users.find', async (db, id: number) => {
  const [row] = await userById(db, { id });
  if (!row) throw notFound('user');
  return row;
});
