import type { Caller } from '../domain/account.ts';
import { byCaller } from '../domain/by.ts';
import { invalid, notFound } from '../domain/failure.ts';
import { foldKey } from '../domain/text.ts';
import { recordChange } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import { endLinks, livingLinks, mailLink } from '../services/links/links.ts';
import type { NewLink } from '../services/links/token.ts';
import { notQueued } from '../services/mail/queue.ts';
import { type Asked, ownAccountWrite } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface Address {
  readonly email: string;
  readonly email_key: string;
}
type Mailing = Asked & { readonly link: NewLink };

/**
 * Mails a link to the address that the caller wants to have. A change to another address that waits is withdrawn. The answer
 * is the same where another account has the address: that is decided when the link is used. Fails with
 * `recent_sign_in_required`, as `mailChange`, or with `validation_failed` for the address that the account has.
 */
export const requestEmailChange = ownAccountWrite(
  'addresses.request_email_change',
  async (db, input: Mailing & { readonly email: string }, caller, engine): Promise<void> => {
    const { email, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const account = await db
      .selectFrom('users')
      .select('email')
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    if (account.email === email) {
      const message = 'This is the e-mail address that you have already.';
      throw invalid([{ field: 'email', rule: 'new', message }]);
    }
    const earlier = endLinks(db, { user_id: caller.userId }, 'change_email');
    await earlier.where('email', '!=', email).execute();
    await spend(db, 'email_change', caller.userId, now);
    await mailChange(db, { email, email_key: foldKey(email) }, input, caller, engine);
  },
);

/**
 * Mails one more link to the address that the caller is changing to, for another day. It asks for no recent sign-in: the
 * session that began the change had one, and the address is the same. Fails with `not_found`, and as `mailChange`.
 */
export const resendEmailChange = ownAccountWrite(
  'addresses.resend_email_change',
  async (db, mailing: Mailing, caller, engine): Promise<void> => {
    const { userId, sessionId } = caller;
    const change = await pendingChange(db, userId, mailing.now);
    // By session: it needs no recent sign-in, so a thief of a token could use up the owner's changes.
    await spend(db, 'email_resend', sessionId, mailing.now);
    await mailChange(db, change, mailing, caller, engine);
  },
);

/** Ends the change of the address that the caller has begun, with all its links. Fails with `not_found`. */
export const withdrawEmailChange = ownAccountWrite(
  'addresses.withdraw_email_change',
  async (db, input: Asked, caller): Promise<void> => {
    const { userId } = caller;
    await pendingChange(db, userId, input.now);
    await endLinks(db, { user_id: userId }, 'change_email').execute();
    await recordChange(db, 'email_change_withdrawn', userId, byCaller(input, caller));
  },
);

/**
 * Mails a link that gives the caller the address. Links to the same address that were mailed before stay good. Fails with
 * `too_many_requests`, or with `busy` where the outbox is full.
 */
async function mailChange(
  db: Db,
  address: Address,
  mailing: Mailing,
  caller: Caller,
  engine: Engine,
): Promise<void> {
  const { userId, username } = caller;
  const { link, now, origin } = mailing;
  const change = { purpose: 'change_email', user_id: userId, ...address, values: { username } } as const;
  const queueing = await mailLink(db, { ...change, link, now, origin }, engine);
  if (queueing !== 'queued') throw notQueued(queueing);
  await recordChange(db, 'email_change_requested', userId, byCaller(mailing, caller));
}

/** The address that the account is changing to. All links of a change have one address. Fails with `not_found`. */
async function pendingChange(db: Db, userId: number, now: number): Promise<Address> {
  const change = await livingLinks(db, 'change_email', now)
    .select(['email', 'email_key'])
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  if (!change) throw notFound('change of the e-mail address that waits');
  return change;
}
