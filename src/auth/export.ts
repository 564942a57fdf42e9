import { DELETED_ACCOUNT } from '../accounts/deleted-account.ts';
import { readOperation } from '../store/operation.ts';
import type { PortableAccount } from './portable-account.ts';

interface Page {
  /** The id of the last account of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Accounts by id, those that are hidden or disabled among them. One that is closed goes out as disabled, so that nobody
 * signs in where it comes in. The page after the last is empty.
 */
export const exportAccounts = readOperation(
  'auth.export_accounts',
  async (db, { after, limit }: Page): Promise<(PortableAccount & { readonly id: number })[]> => {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'password_hash', 'role', 'created_at', 'disabled_at', 'closes_at'])
      .select(['email_verified_at', 'must_change_password'])
      .where('id', '>', after)
      .where('username_key', '!=', DELETED_ACCOUNT)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      username: row.username,
      email: row.email,
      passwordHash: row.password_hash,
      role: row.role,
      createdAt: row.created_at,
      isDisabled: row.disabled_at !== null || row.closes_at !== null || row.must_change_password === 1,
      isEmailVerified: row.email_verified_at !== null,
    }));
  },
);
