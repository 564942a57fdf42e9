import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { forgetOtherDevices } from '../services/limits/devices.ts';
import { queueMail } from '../services/mail/queue.ts';
import { endSessions } from '../sessions/end.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface NewPassword {
  readonly event: 'password_changed' | 'password_reset';
  readonly userId: number;
  readonly account: { readonly username: string; readonly email: string };
  /** The session that asked, which stays. Left out where a link or a command set the password. */
  readonly sessionId?: string;
  readonly sendsMail: boolean;
  readonly now: number;
  /** Null on the command line. */
  readonly origin: Origin | null;
}

/**
 * Does what follows from a new password, inside the write that sets it: ends all links, all sign-ins that wait for a
 * second factor and all other sessions of the account, makes strangers of its other devices, and tells the owner
 * (docs/decisions/passwords.md).
 */
export async function completeNewPassword(
  db: Db,
  { event, userId, account, sessionId, sendsMail, now, origin }: NewPassword,
  engine: Engine,
): Promise<void> {
  const { username, email } = account;
  const which = sessionId === undefined ? { userId } : { userId, except: sessionId };
  await endSessions(db, which, { now, because: 'logout' }, engine);
  await forgetOtherDevices(db, userId, origin);
  const actor = sessionId === undefined ? {} : { actorId: userId, sessionId };
  await recordEvent(db, { event, at: now, origin, accountId: userId, ...actor });
  if (!sendsMail) return;
  const address = { accountId: userId, recipient: email };
  const mail = { ...address, template: 'password_changed', values: { username }, origin } as const;
  await queueMail(db, { ...mail, now }, engine);
}
