import { readOperation } from '../../store/operation.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

/** The passkeys of an account, newest first. */
export const listPasskeys = readOperation(
  'auth.list_passkeys',
  (db, { userId }: { userId: number }): Promise<PasskeyRow[]> =>
    db
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at', 'last_used_at'])
      .where('user_id', '=', userId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute(),
);
