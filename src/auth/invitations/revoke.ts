import { adminWrite } from '../../accounts/admin-write.ts';
import type { CallerInput } from '../../accounts/caller-write.ts';
import { notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';

interface Revocation extends CallerInput {
  readonly id: number;
  readonly origin: Origin;
}

/** Takes an invitation back, whoever made it. Fails with `not_found`, and with `forbidden` for others than admins. */
export const revokeInvitation = adminWrite(
  'auth.revoke_invitation',
  async (db, { id, now, origin }: Revocation, caller): Promise<void> => {
    const removed = await db
      .deleteFrom('invitations')
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .returning('role')
      .executeTakeFirst();
    if (!removed) throw notFound('invitation');
    const { userId, sessionId } = caller;
    const detail = { invitation: String(id) };
    await recordEvent(db, {
      event: 'invitation_revoked',
      at: now,
      origin,
      actorId: userId,
      sessionId,
      detail,
    });
  },
);
