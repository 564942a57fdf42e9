import { adminWrite } from '../../accounts/admin-write.ts';
import type { CallerInput } from '../../accounts/caller-write.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import type { Role } from '../../domain/account.ts';
import { limitReached, noMail, taken } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { notQueued, queueMail } from '../../services/mail/queue.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { registrationClosed } from './entry.ts';
import type { InvitationRow } from './list.ts';
import { INVITATION_MS } from './living.ts';

/** Invitations that wait: of one admin, and in all. */
const MOST_OF_ADMIN = 500;
const MOST = 5_000;

interface Invitee extends CallerInput {
  readonly email: string;
  readonly role: Role;
  readonly origin: Origin;
}

/**
 * Mails an invitation in the place of an earlier one to the address. Fails with `forbidden` for others than admins, with `limit_reached`
 * where too many wait, with `recent_sign_in_required`, with `taken` where an account has the
 * address, and with `too_many_requests`.
 */
export const createInvitation = adminWrite(
  'auth.create_invitation',
  async (db, input: Invitee & NewLink, caller, engine): Promise<InvitationRow> => {
    const { email, role, tokenHash, secret, now, origin } = input;
    const { userId, sessionId, username } = caller;
    await requireRecentSignIn(db, { sessionId, now });
    // Writes at once would all find the last place.
    await engine.lock(db, 'invitations');
    const emailKey = foldKey(email);
    await requireNobody(db, emailKey);
    await db.deleteFrom('invitations').where('email_key', '=', emailKey).execute();
    await requireRoom(db, userId);
    const values = { username, email: inLink(email) };
    const address = { accountId: userId, recipient: email };
    const mail = { ...address, template: 'invitation', values, secret, origin } as const;
    const queueing = await queueMail(db, { ...mail, now }, engine);
    if (queueing !== 'queued') throw notQueued(queueing);
    const times = { created_at: now, expires_at: now + INVITATION_MS };
    const row = { token_hash: tokenHash, email, email_key: emailKey, role, invited_by: userId, ...times };
    const { id } = await db.insertInto('invitations').values(row).returning('id').executeTakeFirstOrThrow();
    const detail = { invitation: String(id), role };
    await recordEvent(db, {
      event: 'invitation_created',
      at: now,
      origin,
      actorId: userId,
      sessionId,
      detail,
    });
    return { id, email, role, inviter_id: userId, inviter_name: username, ...times };
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

async function requireRoom(db: Db, userId: number): Promise<void> {
  const waiting = db.selectFrom('invitations').select('id').limit(1);
  const ofAdmin = waiting.where('invited_by', '=', userId);
  if (await ofAdmin.offset(MOST_OF_ADMIN - 1).executeTakeFirst())
    throw limitReached(`An admin has ${MOST_OF_ADMIN} invitations that wait at most; delete one first.`);
  if (await waiting.offset(MOST - 1).executeTakeFirst())
    throw limitReached(`${MOST} invitations wait at most; delete one first.`);
}

/** Invites somebody by mail. Fails as `createInvitation`, or with `no_mail` or `registration_closed`. */
export async function invite(
  { store, sealing, sendsMail, registration }: AuthParts,
  invitee: Invitee,
): Promise<InvitationRow> {
  if (registration === 'closed') throw registrationClosed();
  if (!sendsMail) throw noMail('This service sends no mail, so it cannot invite anybody.');
  return store.write(createInvitation, { ...invitee, ...newLink(sealing, 'stoa_in_') });
}
