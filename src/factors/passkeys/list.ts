import type { Page, PageRequest } from '../../domain/page.ts';
import { readOperation } from '../../store/operation.ts';
import { pageOf } from '../../store/pages.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

export const PASSKEY_COLUMNS = ['id', 'name', 'created_at', 'last_used_at'] as const;

/** The passkeys of an account, newest first. */
export const listPasskeys = readOperation(
  'factors.list_passkeys',
  (db, query: PageRequest & { readonly userId: number }): Promise<Page<PasskeyRow>> =>
    pageOf(
      db
        .selectFrom('passkeys')
        .select(PASSKEY_COLUMNS)
        .where('user_id', '=', query.userId)
        .orderBy('created_at', 'desc')
        .orderBy('id'),
      query,
    ),
);
