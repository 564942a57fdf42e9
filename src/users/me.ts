import { USER_COLUMNS } from '../accounts/tables.ts';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { MeRow } from './me-contract.ts';

const userById = statement((db, input: { id: number; now: number }) =>
  db
    .selectFrom('users')
    .leftJoin('email_links as change', (join) =>
      join
        .onRef('change.user_id', '=', 'users.id')
        .on('change.kind', '=', 'change')
        .on('change.expires_at', '>', input.now),
    )
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(['role', 'display_name', 'profile', 'second_factor', 'email_verified_at'])
    .select(['change.email as new_email', 'change.expires_at as new_email_until'])
    .where('users.id', '=', input.id)
    // Several links may lead to the new address.
    .orderBy('change.expires_at', 'desc')
    .limit(1),
);

/** One user by id, as its owner sees it. Fails with `not_found`. */
export const findUser = readOperation(
  'users.find',
  async (db, { id, now }: { id: number; now: number }): Promise<MeRow> => {
    const [row] = await userById(db, { id, now });
    if (!row) throw notFound('user');
    return row;
  },
);
