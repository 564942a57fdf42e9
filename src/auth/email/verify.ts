import type { UserRow } from '../../accounts/tables.ts';
import { USER_COLUMNS } from '../../accounts/tables.ts';
import type { Origin } from '../../domain/origin.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { makeAccount } from '../register.ts';
import { linkInvalid, takeLink } from './links.ts';

interface Proof {
  readonly tokenHash: string;
  /** False where nobody may register any more without an invitation. */
  readonly mayRegister: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** One at a time: writes that prove the same address would wait for one another's rows in a circle. */
export const PROVING = 'proving addresses';

/**
 * Uses the link up, and makes the account of a registration, or proves the address of an account. Undefined where the
 * link is of no use. Fails with `taken` where the name or the address became somebody's meanwhile.
 */
export const useVerification = writeOperation(
  'auth.use_verification',
  async (db, proof: Proof, engine): Promise<UserRow | undefined> => {
    await engine.lock(db, PROVING);
    return (await finishRegistration(db, proof)) ?? (await proveAddress(db, proof));
  },
);

/** Whoever proves the address gets it: all other registrations of it end. */
async function finishRegistration(db: Db, { tokenHash, mayRegister, now, origin }: Proof) {
  if (!mayRegister) return undefined;
  const pending = await db
    .deleteFrom('pending_registrations')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['username', 'email', 'email_key', 'password_hash'])
    .executeTakeFirst();
  if (!pending) return undefined;
  const { username, email, email_key, password_hash } = pending;
  await db.deleteFrom('pending_registrations').where('email_key', '=', email_key).execute();
  const account = { username, email, passwordHash: password_hash, role: 'member' } as const;
  return makeAccount(db, { ...account, emailVerifiedAt: now, now, origin });
}

async function proveAddress(db: Db, { tokenHash, now, origin }: Proof) {
  const link = await takeLink(db, { kind: 'verify', tokenHash, now });
  if (!link) return undefined;
  const user = await db
    .updateTable('users')
    .set({ email_verified_at: now })
    .where('id', '=', link.user_id)
    .where('email', '=', link.email)
    .where('disabled_at', 'is', null)
    .returning(USER_COLUMNS)
    .executeTakeFirst();
  if (user) await recordEvent(db, { event: 'email_verified', at: now, origin, accountId: user.id });
  return user;
}

/** Proves the address that the link was mailed to. Fails with `link_invalid` or `taken`. */
export async function verifyEmail(
  { store, clock, registration }: Pick<AuthParts, 'store' | 'clock' | 'registration'>,
  token: string,
  origin: Origin,
): Promise<UserRow> {
  const mayRegister = registration === 'open';
  const proof = { tokenHash: hashOfToken(token), mayRegister, now: clock(), origin };
  const user = await store.write(useVerification, proof);
  if (!user) throw linkInvalid();
  return user;
}
