import { type CallerInput, callerWrite } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { invalid, noMail, tooManyRequests } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { type AccountBudget, spendBudget } from '../../services/throttle/account-budget.ts';
import type { AuthParts } from '../parts.ts';
import { mailLink } from './links.ts';

/** An account chooses where the mails go, so this bounds what it sends to strangers, and the links of a day. */
const CHANGES: AccountBudget = {
  kind: 'email_change',
  free: 5,
  everyMs: HOUR_MS,
  message: 'Your account asked for too many addresses; try again later.',
};

interface NewAddress extends CallerInput {
  readonly email: string;
  readonly origin: Origin;
}

/**
 * Mails a link to the address that the caller wants to have. Nothing is told of whose it is: that is decided when the link
 * is used. Fails with `recent_sign_in_required`, `too_many_requests`, or `validation_failed` for the address that
 * the account has.
 */
export const requestEmailChange = callerWrite(
  'auth.request_email_change',
  async (
    db,
    input: NewAddress & { readonly link: NewLink },
    { userId, sessionId },
    engine,
  ): Promise<void> => {
    const { email, link, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    const account = await db
      .selectFrom('users')
      .select(['id', 'username', 'email'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    if (account.email === email) {
      const message = 'This is the e-mail address that you have already.';
      throw invalid([{ field: 'email', rule: 'new', message }]);
    }
    await spendBudget(db, CHANGES, userId, now);
    const address = { email, email_key: foldKey(email) };
    if (!(await mailLink(db, { link, kind: 'change', account, address, now }, engine)))
      throw tooManyRequests('Too many mails were sent to this address; try again later.', HOUR_MS / 1000);
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'email_change_requested', at: now, origin, ...who });
  },
);

/** Begins a change of the caller's address. Fails as `requestEmailChange`, or with `no_mail`. */
export async function askForEmailChange(
  parts: Pick<AuthParts, 'store' | 'sealing' | 'sendsMail'>,
  input: NewAddress,
): Promise<void> {
  if (!parts.sendsMail)
    throw noMail('This service sends no mail; ask whoever runs it for another e-mail address.');
  await parts.store.write(requestEmailChange, { ...input, link: newLink(parts.sealing, 'stoa_el_') });
}
