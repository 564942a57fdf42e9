import { adminWrite } from '../accounts/admin-write.ts';
import { notFound } from '../domain/failure.ts';
import { recordEvent } from '../services/audit/record.ts';
import { takeLink } from '../services/links/links.ts';
import type { Asked } from '../sessions/caller-write.ts';

/** Takes an invitation of any admin back. Fails with `not_found`, and with `forbidden` for others than admins. */
export const revokeInvitation = adminWrite(
  'invitations.revoke_invitation',
  async (db, { id, now, origin }: Asked & { readonly id: number }, { userId, sessionId }): Promise<void> => {
    if (!(await takeLink(db, 'invite', { id }, now))) throw notFound('invitation');
    const by = { at: now, origin, actorId: userId, sessionId };
    await recordEvent(db, { event: 'invitation_revoked', ...by, detail: { invitation: String(id) } });
  },
);
