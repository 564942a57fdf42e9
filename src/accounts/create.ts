import type { Role } from '../domain/account.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { SecurityEvent } from '../services/audit/row.ts';
import { addressTaken, requireNoUndoLink } from '../services/links/undo.ts';
import { translateUnique } from '../store/constraint.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { claimName, nameTaken } from './claim-name.ts';
import type { ImportedColumns, RegisteredColumns } from './fields.ts';
import { USER_COLUMNS, type UserRow } from './tables.ts';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
  /** What the registration, or the line of an import, gave of other fields. */
  readonly given?: RegisteredColumns & ImportedColumns;
  /** When the address was proved; null and undefined where it was not. */
  readonly emailVerifiedAt?: number | null;
  readonly now: number;
  readonly origin: Origin | null;
  /** For the audit trail. */
  readonly detail?: SecurityEvent['detail'];
}

/** The row of a new account. */
export function rowOfAccount(account: Omit<NewAccount, 'origin' | 'detail'>) {
  const { username, email, passwordHash, role, given, emailVerifiedAt = null, now } = account;
  return {
    ...given,
    username,
    username_key: foldKey(username),
    email,
    email_key: foldKey(email),
    password_hash: passwordHash,
    role,
    email_verified_at: emailVerifiedAt,
    created_at: now,
  };
}

export const createAccount = writeOperation('accounts.create_account', makeAccount, {
  askerOf: strangerAsker,
  turns: 'exclusive',
});

/**
 * Makes an account, inside the write that has decided so. Fails with `taken` when another account has the name or the
 * address in any spelling, and when the name looks like another's.
 */
export async function makeAccount(db: Db, account: NewAccount): Promise<UserRow> {
  const row = rowOfAccount(account);
  const user = await insertAccount(db, row);
  const { role, now, origin, detail = {} } = account;
  const event = role === 'admin' ? 'admin_created' : 'registered';
  await recordEvent(db, { event, at: now, origin, accountId: user.id, detail });
  return user;
}

async function insertAccount(db: Db, row: ReturnType<typeof rowOfAccount>): Promise<UserRow> {
  try {
    const user = await db.insertInto('users').values(row).returning(USER_COLUMNS).executeTakeFirstOrThrow();
    await claimName(db, user);
    // After the insert, which has waited for a write that just gave the address up.
    const isProved = row.email_verified_at !== null;
    await requireNoUndoLink(db, { ...row, id: user.id, isProved }, row.created_at);
    return user;
  } catch (error) {
    translateUnique(error, { users_username_key: nameTaken, users_email_key: addressTaken });
  }
}
