import { makeAccount } from '../accounts/create.ts';
import { USER_COLUMNS, type UserRow } from '../accounts/tables.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { recordEvent } from '../services/audit/record.ts';
import { endLinks, takeLink } from '../services/links/links.ts';
import { mailProof } from '../services/links/own.ts';
import type { NewLink } from '../services/links/token.ts';
import { type LinkUse, linkInvalid, lockAccountsOf, useAccountLink } from '../services/links/use.ts';
import { type Asked, callerWrite } from '../sessions/caller-write.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/**
 * Mails the caller a link that proves their address, unless it is proved. Where none is queued, returns the reason: a
 * failure would take back the event of a full outbox.
 */
export const requestOwnVerification = callerWrite(
  'addresses.request_own_verification',
  (db, { link, now, origin }: Asked & { readonly link: NewLink }, { userId }, engine) =>
    mailProof(db, { userId, link, now, origin }, engine),
);

interface Proof extends LinkUse {
  /** False where registering takes an invitation, or is closed. */
  readonly mayRegister: boolean;
}

/**
 * Uses the link up. Makes the account of a registration, or proves the address of an account. Fails with `link_invalid`, and
 * with `taken` where another account got the name or the address meanwhile.
 */
export const useVerification = writeOperation(
  'addresses.use_verification',
  async (db, proof: Proof, engine): Promise<UserRow> => {
    await lockAccountsOf(db, proof.tokenHash, engine);
    await engine.lock(db, 'proving addresses');
    return (await finishRegistration(db, proof)) ?? (await proveAddress(db, proof));
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/** The person who proves the address gets it: all other registrations of it end. */
async function finishRegistration(db: Db, { tokenHash, mayRegister, now, origin }: Proof) {
  if (!mayRegister) return undefined;
  const link = await takeLink(db, 'register', { token_hash: tokenHash }, now);
  if (!link) return undefined;
  const { email, email_key } = link;
  const { username, password_hash, given } = link.carries;
  await endLinks(db, { email_key }, 'register').execute();
  const account = { username, email, passwordHash: password_hash, role: 'member', given } as const;
  return makeAccount(db, { ...account, emailVerifiedAt: now, now, origin });
}

async function proveAddress(db: Db, { tokenHash, now, origin }: Proof): Promise<UserRow> {
  const { account, email } = await useAccountLink(db, 'verify_email', { tokenHash, now });
  const user = await db
    .updateTable('users')
    .set({ email_verified_at: now })
    .where('id', '=', account.id)
    .where('email', '=', email)
    .returning(USER_COLUMNS)
    .executeTakeFirst();
  if (!user) throw linkInvalid();
  await recordEvent(db, { event: 'email_verified', at: now, origin, accountId: user.id });
  return user;
}
