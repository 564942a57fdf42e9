import { activeAdmins } from '../../accounts/admins.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Db } from '../../store/tables.ts';

/** Milliseconds that an invitation lives. */
export const INVITATION_MS = 7 * DAY_MS;

/** The ids of the invitations that are good: not too old, and of somebody who is an admin still. */
export function livingInvitations(db: Db, now: number) {
  return db
    .selectFrom('invitations')
    .select('invitations.id')
    .where('expires_at', '>', now)
    .where('invited_by', 'in', activeAdmins(db));
}
