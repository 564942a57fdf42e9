import { adminWrite } from '../accounts/admin-write.ts';
import type { Role } from '../domain/account.ts';
import { limitReached, taken } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { foldKey } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import { endLinks, hasLinks, livingLinks, mailLink } from '../services/links/links.ts';
import type { NewLink } from '../services/links/token.ts';
import { notQueued } from '../services/mail/queue.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { Db } from '../store/tables.ts';
import type { InvitationRow } from './list.ts';

interface NewInvitation extends Asked {
  readonly email: string;
  readonly role: Role;
  readonly link: NewLink;
}

/**
 * Mails an invitation in the place of an earlier one to the address. Fails with `forbidden` for others than admins, with
 * `recent_sign_in_required`, with `taken` where an account has the address, with `limit_reached` where too many wait, and with
 * `too_many_requests`.
 */
export const createInvitation = adminWrite(
  'invitations.create_invitation',
  async (db, input: NewInvitation, caller, engine): Promise<InvitationRow> => {
    const { email, role, link, now, origin } = input;
    const { userId, sessionId, username } = caller;
    await requireRecentSignIn(db, { sessionId, now });
    // Writes at once would all find the last place.
    await engine.lock(db, 'invitations');
    const email_key = foldKey(email);
    await requireNobody(db, email_key);
    await endLinks(db, { email_key }, 'invite').execute();
    await requireRoom(db, userId);
    const carries = { role, created_at: now };
    const invitation = { purpose: 'invite', user_id: userId, email, email_key, carries } as const;
    const values = { username, email: inLink(email) };
    const queueing = await mailLink(db, { ...invitation, link, values, now, origin }, engine);
    if (queueing !== 'queued') throw notQueued(queueing);
    const { id, expires_at } = await livingLinks(db, 'invite', now)
      .select(['id', 'expires_at'])
      .where('token_hash', '=', link.tokenHash)
      .executeTakeFirstOrThrow();
    const by = { at: now, origin, actorId: userId, sessionId };
    await recordEvent(db, { event: 'invitation_created', ...by, detail: { invitation: String(id), role } });
    return { id, email, inviter_id: userId, inviter_name: username, ...carries, expires_at };
  },
);

/** A text as a link has it. Some mail programs end a link at the signs that `encodeURIComponent` leaves. */
function inLink(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

async function requireNobody(db: Db, emailKey: string): Promise<void> {
  const account = await db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
  if (account) throw taken('email', 'An account with this e-mail address exists.');
}

async function requireRoom(db: Db, user_id: number): Promise<void> {
  const { inAll, ofAdmin } = ROW_LIMITS.invitations;
  if (await hasLinks(db, 'invite', ofAdmin, { user_id }))
    throw limitReached(`An admin has ${ofAdmin} invitations that wait at most; delete one first.`);
  if (await hasLinks(db, 'invite', inAll))
    throw limitReached(`${inAll} invitations wait at most; delete one first.`);
}
