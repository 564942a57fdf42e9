import { isPresent } from '../accounts/present.ts';
import { readOperation } from '../store/operation.ts';
import type { PortableAccount } from './portable-account.ts';

interface Page {
  /** The id of the last account of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Accounts by id, those that are hidden or disabled among them, but none that is being removed. One that is closed goes
 * out as disabled, so that nobody signs in where it comes in. The page after the last is empty.
 */
export const exportAccounts = readOperation(
  'auth.export_accounts',
  async (db, { after, limit, now }: Page): Promise<(PortableAccount & { readonly id: number })[]> => {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'password_hash', 'role', 'created_at', 'disabled_at', 'closes_at'])
      .select(['email_verified_at', 'must_change_password'])
      .where('id', '>', after)
      .where(isPresent(now))
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
