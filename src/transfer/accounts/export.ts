import { IMPORTED_FIELDS } from '../../accounts/fields.ts';
import { isPresent } from '../../accounts/lock-account.ts';
import { columnsSetBy } from '../../store/fields.ts';
import { readOperation } from '../../store/operation.ts';
import { rowsAfter } from '../../store/pages.ts';
import type { PortableAccount } from './portable-account.ts';

const IMPORTED_COLUMNS = columnsSetBy(IMPORTED_FIELDS, 'import');

interface Page {
  /** The id of the last account of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Accounts by id, hidden and disabled ones included, but none that is being removed. A closed account is exported as
 * disabled, so that nobody signs in to it elsewhere. The page after the last is empty.
 */
export const exportAccounts = readOperation(
  'transfer.export_accounts',
  async (db, { after, limit, now }: Page): Promise<(PortableAccount & { readonly id: number })[]> => {
    const accounts = db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'password_hash', 'role', 'created_at', 'disabled_at', 'closes_at'])
      .select(['email_verified_at', 'must_change_password'])
      .select(IMPORTED_COLUMNS)
      .where(isPresent(now));
    const { rows } = await rowsAfter(accounts, { key: 'id', after, most: limit });
    return rows.map((row) => ({
      id: row.id,
      username: row.username,
      email: row.email,
      passwordHash: row.password_hash,
      role: row.role,
      createdAt: row.created_at,
      isDisabled: row.disabled_at !== null || row.closes_at !== null || row.must_change_password === 1,
      isEmailVerified: row.email_verified_at !== null,
      given: Object.fromEntries(IMPORTED_COLUMNS.map((name) => [name, row[name]])),
    }));
  },
);
