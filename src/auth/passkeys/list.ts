import { offsetOf, type Page, type PageRequest } from '../../domain/page.ts';
import { readOperation } from '../../store/operation.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

export const PASSKEY_COLUMNS = ['id', 'name', 'created_at', 'last_used_at'] as const;

/** The passkeys of an account, newest first. */
export const listPasskeys = readOperation(
  'auth.list_passkeys',
  async (db, query: PageRequest & { readonly userId: number }): Promise<Page<PasskeyRow>> => {
    const { userId, page, per_page } = query;
    const own = db.selectFrom('passkeys').where('user_id', '=', userId);
    const counted = own.select((eb) => eb.fn.countAll<number>().as('total'));
    // In one statement, so that a page and its total come from one state of the database.
    const rows = await own
      .select(PASSKEY_COLUMNS)
      .select(counted.as('total'))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(per_page)
      .offset(offsetOf(query))
      .execute();
    const { total } = rows[0] ?? (await counted.executeTakeFirstOrThrow());
    return { items: rows, total: Number(total), page, per_page };
  },
);
