import { claimName, nameTaken } from '../accounts/claim-name.ts';
import { USER_COLUMNS, type UserRow } from '../accounts/tables.ts';
import type { Role } from '../domain/account.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { SecurityEvent } from '../services/audit/row.ts';
import { translateUnique } from '../store/constraint.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { addressTaken, requireNoWayBack } from './email/links.ts';
import type { AuthParts } from './parts.ts';
import { requireUncommon } from './password-rule.ts';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
  /** When somebody proved the address; null and undefined where nobody did. */
  readonly emailVerifiedAt?: number | null;
  readonly now: number;
  readonly origin: Origin | null;
  /** For the audit trail. */
  readonly detail?: SecurityEvent['detail'];
}

/** The row of a new account. */
export function rowOfAccount(account: Omit<NewAccount, 'origin' | 'detail'>) {
  const { username, email, passwordHash, role, emailVerifiedAt = null, now } = account;
  return {
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

export const createAccount = writeOperation('auth.create_account', (db, account: NewAccount) =>
  makeAccount(db, account),
);

/**
 * Makes an account, inside the write that has decided so. Fails with `taken` when the name or the e-mail is somebody's in
 * any spelling, and when the name looks like somebody's.
 */
export async function makeAccount(db: Db, account: NewAccount): Promise<UserRow> {
  const user = await insertAccount(db, account);
  const { role, now, origin, detail = {} } = account;
  const event = role === 'admin' ? 'admin_created' : 'registered';
  await recordEvent(db, { event, at: now, origin, accountId: user.id, detail });
  return user;
}

async function insertAccount(db: Db, account: NewAccount): Promise<UserRow> {
  const row = rowOfAccount(account);
  try {
    const user = await db.insertInto('users').values(row).returning(USER_COLUMNS).executeTakeFirstOrThrow();
    await claimName(db, user);
    // After the insert, which has waited for whoever just gave the address up.
    if (row.email_verified_at === null) await requireNoWayBack(db, row.email_key, account.now);
    return user;
  } catch (error) {
    translateUnique(error, {
      users_username_key: nameTaken,
      users_email_key: addressTaken,
    });
  }
}

export interface Registration {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** Hashes the password of somebody who has no account yet. A command has no origin, and waits for nobody. */
export function hashForStranger(
  hashing: AuthParts['hashing'],
  password: string,
  origin: Origin | null,
): Promise<string> {
  return hashing.hash(password, origin ? { source: origin.source, isKnown: false } : undefined);
}

/**
 * Registers a member whose address nobody proved. Fails with `taken`, or `validation_failed` for a password that others
 * would guess. Where a command does it there is no origin, and the operator vouches for the address.
 */
export async function register(
  parts: Pick<AuthParts, 'store' | 'hashing' | 'clock' | 'passwordBlocklist'>,
  { username, email, password }: Registration,
  origin: Origin | null,
  role: Role = 'member',
) {
  requireUncommon(password, { username, email }, parts.passwordBlocklist);
  const passwordHash = await hashForStranger(parts.hashing, password, origin);
  const now = parts.clock();
  const account = { username, email, passwordHash, role, emailVerifiedAt: origin ? null : now };
  return parts.store.write(createAccount, { ...account, now, origin });
}
