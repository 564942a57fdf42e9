import { notFound } from '../domain/failure.ts';
import type { RowFor } from '../store/field-types.ts';
import { columnsFor } from '../store/fields.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import { ACCOUNT_FIELDS, type AccountFields } from './fields.ts';

export type MeRow = RowFor<AccountFields, 'owner'> & {
  /** The address that waits for its link, and until when. */
  readonly new_email: string | null;
  readonly new_email_until: number | null;
};

const COLUMNS = columnsFor(ACCOUNT_FIELDS, 'owner');

const userById = statement((db, input: { id: number; now: number }) =>
  db
    .selectFrom('users')
    .leftJoin('links as change', (join) =>
      join
        .onRef('change.user_id', '=', 'users.id')
        .on('change.purpose', '=', 'change_email')
        .on('change.expires_at', '>', input.now),
    )
    .select(COLUMNS.map((name) => `users.${name}` as const))
    .select(['change.email as new_email', 'change.expires_at as new_email_until'])
    .where('users.id', '=', input.id)
    // Several links may lead to the new address.
    .orderBy('change.expires_at', 'desc')
    .limit(1),
);

/** One user by id, as its owner sees it. Fails with `not_found`. */
export const findUser = readOperation(
  'accounts.find',
  async (db, { id, now }: { id: number; now: number }): Promise<MeRow> => {
    const [row] = await userById(db, { id, now });
    if (!row) throw notFound('user');
    return row;
  },
);
