import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { recoverAccount } from '../passwords/recover.ts';
import { recordEvent } from '../services/audit/record.ts';
import { endLinks } from '../services/links/links.ts';
import { PURPOSES } from '../services/links/purposes.ts';
import type { NewLink } from '../services/links/token.ts';
import { type LinkUse, lockAccountsOf, useAccountLink } from '../services/links/use.ts';
import { writeOperation } from '../store/operation.ts';
import { setProvenAddress } from './set-address.ts';

/** `reset` is for choosing a new password. */
type Reversion = LinkUse & { readonly reset: NewLink };

/**
 * Uses the link up and gives the account its previous address back. A thief who changed the address may know the
 * password and have sessions, tokens, links, and second factors that were set up in the week before. All of them end,
 * and the owner is mailed a link to choose a new password. Fails with `link_invalid`, and with `taken` where another
 * account has proved the address.
 */
export const revertEmailChange = writeOperation(
  'addresses.revert_email_change',
  async (db, { tokenHash, reset, now, origin }: Reversion, engine): Promise<void> => {
    await lockAccountsOf(db, tokenHash, engine);
    await engine.lock(db, 'proving addresses');
    const { account, ...undo } = await useAccountLink(db, 'revert_email', { tokenHash, now });
    const userId = account.id;
    await setProvenAddress(db, { ...undo, user_id: userId }, { now, origin });
    // An earlier address keeps its undo link. A thief who changed the address twice has the link to the second.
    const later = endLinks(db, { user_id: userId }, 'revert_email');
    // By id, which grows with each change under the lock. The clocks of two instances may differ.
    await later.where('id', '>', undo.id).execute();
    // A thief sets a factor up before the change, to keep access after it is undone.
    const since = undo.expires_at - 2 * PURPOSES.revert_email.lifeMs;
    await recordEvent(db, { event: 'email_change_reverted', at: now, origin, accountId: userId });
    await recoverAccount(db, { userId, since, link: reset, now, origin }, engine);
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);
