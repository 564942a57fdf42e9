import { translateUnique } from '../../store/constraint.ts';
import type { Db } from '../../store/tables.ts';
import { addressTaken } from './links.ts';

interface Proven {
  readonly user_id: number;
  readonly email: string;
  readonly email_key: string;
}

/** The account of a link, locked until the write ends; undefined where it is disabled. */
export function lockAccountOf(db: Db, { user_id }: Pick<Proven, 'user_id'>) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'email_key'])
    .where('id', '=', user_id)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Gives the account the address that was proved just now. Fails with `taken` where another account has it. */
export async function setProvenAddress(
  db: Db,
  { user_id, email, email_key }: Proven,
  change: { readonly now: number; readonly password_hash?: string },
): Promise<void> {
  const { now, ...others } = change;
  try {
    await db
      .updateTable('users')
      .set({ email, email_key, email_verified_at: now, ...others })
      .where('id', '=', user_id)
      .execute();
  } catch (error) {
    translateUnique(error, { users_email_key: addressTaken });
  }
}
