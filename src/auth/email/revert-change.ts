import { endSessions } from '../../accounts/end-sessions.ts';
import type { Origin } from '../../domain/origin.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { resetFactors } from '../factors.ts';
import { requestPasswordReset } from '../forgotten-password.ts';
import { NOBODYS_HASH } from '../hashing/parameters.ts';
import type { AuthParts } from '../parts.ts';
import { linkInvalid, REVERT_MS, takeLink } from './links.ts';
import { lockAccountOf, setProvenAddress } from './set-address.ts';
import { PROVING } from './verify.ts';

interface Reversion {
  readonly tokenHash: string;
  /** A link to choose a new password by. */
  readonly reset: NewLink;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Uses the link up and gives the account back the address that it had. Whoever changed the address may know the password
 * and have sessions, tokens, links, and second factors that were set up in the week before. All of them end, and the owner
 * is mailed a link to choose a new password by. False where the link is of no use. Fails with `taken` where another account
 * has proved the address, and with `link_invalid` where its own is disabled: the link stays good.
 */
export const revertEmailChange = writeOperation(
  'auth.revert_email_change',
  async (db, { tokenHash, reset, now, origin }: Reversion, engine): Promise<boolean> => {
    await engine.lock(db, PROVING);
    const wayBack = await takeLink(db, { kind: 'revert', tokenHash, now });
    if (!wayBack) return false;
    const account = await lockAccountOf(db, wayBack);
    // The link stays good.
    if (!account) throw linkInvalid();
    const userId = account.id;
    await setProvenAddress(db, wayBack, { now, origin, password_hash: NOBODYS_HASH });
    await endLaterWaysBack(db, wayBack);
    // A thief sets a factor up before the change, to stay after a way back.
    await resetFactors(db, { userId, since: wayBack.expires_at - 2 * REVERT_MS, now, origin });
    await endSessions(db, { userId }, { now, because: 'logout' }, engine);
    await recordEvent(db, { event: 'email_change_reverted', at: now, origin, accountId: userId });
    await requestPasswordReset.run(db, { userId, ...reset, now, origin }, engine);
    return true;
  },
);

/** An earlier address keeps its way back: a thief who changed the address twice has the way back to the second. */
async function endLaterWaysBack(
  db: Db,
  { user_id, expires_at }: { readonly user_id: number; readonly expires_at: number },
): Promise<void> {
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', user_id)
    .where('kind', '=', 'revert')
    .where('expires_at', '>=', expires_at)
    .execute();
}

/** Takes a change of the address back. Fails with `link_invalid` or `taken`. */
export async function revertChange(
  { store, sealing, clock, authenticator }: AuthParts,
  token: string,
  origin: Origin,
): Promise<void> {
  const reset = newLink(sealing, 'stoa_pr_');
  const reversion = { tokenHash: hashOfToken(token), reset, now: clock(), origin };
  if (!(await store.write(revertEmailChange, reversion))) throw linkInvalid();
  authenticator.forget('anything');
}
