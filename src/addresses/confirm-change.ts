import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { busy, type Failure } from '../domain/failure.ts';
import { isNoAddress } from '../domain/no-address.ts';
import { recordEvent } from '../services/audit/record.ts';
import { endPending, mailLink } from '../services/links/links.ts';
import type { NewLink } from '../services/links/token.ts';
import { requireNoUndoLink } from '../services/links/undo.ts';
import { type LinkUse, lockAccountsOf, useAccountLink } from '../services/links/use.ts';
import { NEXT_MAIL_SECONDS } from '../services/mail/queue.ts';
import { writeOperation } from '../store/operation.ts';
import { setProvenAddress } from './set-address.ts';

/** `undo` is for the mail to the previous address. */
type Confirmation = LinkUse & { readonly undo: NewLink };

/**
 * Uses the link up and gives its account the address, which is proved now. All other links of the account end. The
 * previous address gets a mail with an undo link. Another account that never proved the address loses it. Fails with
 * `link_invalid`, `taken` or `busy`.
 */
export const confirmEmailChange = writeOperation(
  'addresses.confirm_email_change',
  async (db, { tokenHash, undo, now, origin }: Confirmation, engine): Promise<void> => {
    await lockAccountsOf(db, tokenHash, engine);
    await engine.lock(db, 'proving addresses');
    const change = await useAccountLink(db, 'change_email', { tokenHash, now });
    const { id: user_id, username, email, email_key, email_verified_at } = change.account;
    // Every write locks rows of accounts before the outbox.
    await setProvenAddress(db, { ...change, user_id }, { now, origin });
    await requireNoUndoLink(db, { ...change, id: user_id, isProved: true }, now);
    await endPending(db, user_id);
    // A change without a notice is refused: a thief could have used up the mails of the address.
    const addressKind = email_verified_at === null ? 'unproved' : 'proved';
    const previous = { purpose: 'revert_email', user_id, email, email_key, link: undo } as const;
    const telling = { ...previous, values: { username }, mail: { addressKind }, now, origin } as const;
    if (!isNoAddress(email) && (await mailLink(db, telling, engine)) !== 'queued') throw untold();
    await recordEvent(db, { event: 'email_changed', at: now, origin, accountId: user_id });
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

function untold(): Failure {
  const message =
    'The notice to your present address cannot be sent yet, so nothing was changed; try again later.';
  return busy(message, NEXT_MAIL_SECONDS);
}
