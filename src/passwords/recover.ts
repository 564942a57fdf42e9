import { endInvitations } from '../accounts/admins.ts';
import { resetFactors } from '../factors/factors.ts';
import { forgetOtherDevices } from '../services/limits/devices.ts';
import { mailOwner, type OwnLink } from '../services/links/own.ts';
import { endSessions } from '../sessions/end.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { NOBODYS_HASH } from './hashing/parameters.ts';

interface Recovery extends OwnLink {
  /** Factors that were set up earlier stay. Milliseconds since 1970. */
  readonly since: number;
}

/**
 * Takes an account back from a thief who knows its password, inside the write that has proved who the owner is. The
 * password, the newer second factors, all sessions and the invitations that the account has sent end, its other devices
 * are strangers, and the owner is mailed a link to choose a new password.
 */
export async function recoverAccount(db: Db, { since, ...request }: Recovery, engine: Engine): Promise<void> {
  const { userId, now, origin } = request;
  await db.updateTable('users').set({ password_hash: NOBODYS_HASH }).where('id', '=', userId).execute();
  await resetFactors(db, { userId, since, now, origin }, engine);
  await endSessions(db, { userId }, { now, because: 'logout' }, engine);
  await forgetOtherDevices(db, userId, origin);
  await endInvitations(db, userId);
  await mailOwner(db, 'reset_password', request, engine);
}
