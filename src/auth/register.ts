import { claimName, nameTaken } from '../accounts/claim-name.ts';
import { USER_COLUMNS, type UserRow } from '../accounts/tables.ts';
import type { Role } from '../domain/account.ts';
import { taken } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import { translateUnique } from '../store/constraint.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { AuthParts } from './parts.ts';
import { requireUncommon } from './password-rule.ts';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
  readonly now: number;
  readonly origin: Origin | null;
}

/** The row of a new account. */
export function rowOfAccount({ username, email, passwordHash, role, now }: Omit<NewAccount, 'origin'>) {
  return {
    username,
    username_key: foldKey(username),
    email,
    email_key: foldKey(email),
    password_hash: passwordHash,
    role,
    created_at: now,
  };
}

/**
 * Makes an account. Fails with `taken` when the name or the e-mail is somebody's in any spelling, and when the name
 * looks like somebody's.
 */
export const createAccount = writeOperation('auth.create_account', async (db, account: NewAccount) => {
  const user = await insertAccount(db, account);
  const event = account.role === 'admin' ? 'admin_created' : 'registered';
  await recordEvent(db, { event, at: account.now, origin: account.origin, accountId: user.id });
  return user;
});

async function insertAccount(db: Db, account: NewAccount): Promise<UserRow> {
  const row = rowOfAccount(account);
  try {
    const user = await db.insertInto('users').values(row).returning(USER_COLUMNS).executeTakeFirstOrThrow();
    await claimName(db, user);
    return user;
  } catch (error) {
    translateUnique(error, {
      users_username_key: nameTaken,
      users_email_key: () => taken('email', 'An account with this e-mail address exists; log in instead.'),
    });
  }
}

interface Registration {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Registers a member; where a command does it there is no origin. Fails with `taken`, or `validation_failed` for a
 * password that others would guess.
 */
export async function register(
  parts: Pick<AuthParts, 'store' | 'hashing' | 'clock' | 'passwordBlocklist'>,
  { username, email, password }: Registration,
  origin: Origin | null,
  role: Role = 'member',
) {
  requireUncommon(password, { username, email }, parts.passwordBlocklist);
  const asker = origin ? { source: origin.source, isKnown: false } : undefined;
  const passwordHash = await parts.hashing.hash(password, asker);
  const account = { username, email, passwordHash, role };
  return parts.store.write(createAccount, { ...account, now: parts.clock(), origin });
}
