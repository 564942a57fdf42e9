import { endPending } from '../../accounts/end-pending.ts';
import { Failure } from '../../domain/failure.ts';
import { isNoAddress } from '../../domain/no-address.ts';
import type { Origin } from '../../domain/origin.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { NEXT_MAIL_SECONDS } from '../../services/mail/queue.ts';
import { writeOperation } from '../../store/operation.ts';
import type { AuthParts } from '../parts.ts';
import { linkInvalid, mailLink, takeLink } from './links.ts';
import { lockAccountOf, setProvenAddress } from './set-address.ts';
import { PROVING } from './verify.ts';

interface Confirmation {
  readonly tokenHash: string;
  /** For the mail to the address that the account had. */
  readonly wayBack: NewLink;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Uses the link up and gives its account the address, which is proved by that. All other links of the account end, and
 * the address that it had is told, with a way back. Another account that never proved the address loses it. False where the link is of no use. Fails with `taken`.
 */
export const confirmEmailChange = writeOperation(
  'auth.confirm_email_change',
  async (db, { tokenHash, wayBack, now, origin }: Confirmation, engine): Promise<boolean> => {
    await engine.lock(db, PROVING);
    const change = await takeLink(db, { kind: 'change', tokenHash, now });
    if (!change) return false;
    const account = await lockAccountOf(db, change);
    // The link stays good.
    if (!account) throw linkInvalid();
    // Rows of accounts are locked before the outbox, as by all others.
    await setProvenAddress(db, change, { now, origin });
    await endPending(db, account.id);
    // No change goes untold: a thief could have filled the bucket of the mails.
    const addressKind = account.email_verified_at === null ? 'unproved' : 'proved';
    const telling = { link: wayBack, kind: 'revert', account, address: account, addressKind } as const;
    if (!isNoAddress(account.email) && (await mailLink(db, { ...telling, now, origin }, engine)) !== 'queued')
      throw untold();
    await recordEvent(db, { event: 'email_changed', at: now, origin, accountId: account.id });
    return true;
  },
);

function untold(): Failure {
  const message = 'The address that you have now cannot be told of the change yet; try again later.';
  return new Failure({ error: 'busy', message, retryAfter: NEXT_MAIL_SECONDS });
}

/** Changes the address of the account that the link is for. Fails with `link_invalid`, `taken` or `busy`. */
export async function confirmChange(
  { store, sealing, clock }: Pick<AuthParts, 'store' | 'sealing' | 'clock'>,
  token: string,
  origin: Origin,
): Promise<void> {
  const confirmation = {
    tokenHash: hashOfToken(token),
    wayBack: newLink(sealing, 'stoa_el_'),
    now: clock(),
    origin,
  };
  if (!(await store.write(confirmEmailChange, confirmation))) throw linkInvalid();
}
