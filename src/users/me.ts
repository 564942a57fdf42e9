import { USER_COLUMNS } from '../accounts/tables.ts';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { MeRow } from './me-contract.ts';

const userById = statement((db, input: { id: number }) =>
  db
    .selectFrom('users')
    .select([...USER_COLUMNS, 'role', 'display_name', 'profile', 'second_factor', 'email_verified_at'])
    .where('id', '=', input.id),
);

/** One user by id, as its owner sees it. Fails with `not_found`. */
export const findUser = readOperation('users.find', async (db, id: number): Promise<MeRow> => {
  const [row] = await userById(db, { id });
  if (!row) throw notFound('user');
  return row;
});
