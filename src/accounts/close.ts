import type { ClosingContent } from '../domain/account.ts';
import { type By, byCaller } from '../domain/by.ts';
import { busy } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import { recordChange } from '../services/audit/record.ts';
import { type Asked, ownAccountWrite } from '../sessions/caller-write.ts';
import { endSessions } from '../sessions/end.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { adminWrite } from './admin-write.ts';
import { endInvitations, lockAdmins, requireAnotherAdmin } from './admins.ts';
import { lockAccount } from './lock-account.ts';
import { tellOwner } from './tell-owner.ts';

interface Closing {
  readonly content: ClosingContent;
  /**
   * When the account is removed, in milliseconds since 1970. 0 where nobody can take it back, whatever the clocks say.
   */
  readonly closesAt: number;
}

type OwnClosing = Asked & Closing & { readonly sendsMail: boolean };

const close = ownAccountWrite(
  'accounts.close_own_account',
  async (db, input: OwnClosing, caller, engine): Promise<void> => {
    const { now, closesAt, sendsMail, origin } = input;
    const { userId, username, role } = caller;
    // Held already, unless the caller became an admin just now. To wait here could be a deadlock.
    if (role === 'admin' && !(await engine.tryLock(db, 'admins')))
      throw busy('Another admin changes accounts now; try again.');
    await closeAccount(db, { id: userId, username }, input, byCaller(input, caller), engine);
    // Where there is no grace, the mail would be removed with the account.
    if (closesAt <= now) return;
    const news = { template: 'account_closed', values: { removed_at: isoTime(closesAt) } } as const;
    await tellOwner(db, { userId, ...news, sendsMail, now, origin }, engine);
  },
);

/**
 * Closes the account of the caller, and tells the owner by mail when it is removed. Fails with
 * `recent_sign_in_required`, and with `last_admin`.
 */
export const closeOwnAccount: typeof close = {
  ...close,
  run: async (db, input, engine) => {
    const { sessionId, userId } = input.caller;
    // Every member may ask, so who is refused here waits for no lock. When a session began never changes.
    await requireRecentSignIn(db, { sessionId, now: input.now });
    // A member who waits for the own writes keeps no admin waiting.
    const account = db.selectFrom('users').select('role').where('id', '=', userId);
    if ((await account.executeTakeFirst())?.role === 'admin') await lockAdmins(db, engine);
    await close.run(db, input, engine);
  },
};

/**
 * Closes an account that is removed at once: its owner cannot take it back. Fails with `not_found`, with
 * `recent_sign_in_required`, and with `last_admin`.
 */
export const removeUser = adminWrite(
  'accounts.remove_user',
  async (
    db,
    input: Asked & { readonly id: number; readonly content: ClosingContent },
    caller,
    engine,
  ): Promise<void> => {
    const { id, content, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const account = await lockAccount(db, id, now, engine);
    await closeAccount(db, account, { content, closesAt: 0 }, byCaller(input, caller), engine);
  },
);

/**
 * Closes an account, inside a write that has called `lockAdmins` where it may be an admin's: it is in no list, its
 * sessions end, and nobody signs in to it. Its content stays until it is removed. Fails with `last_admin`.
 */
async function closeAccount(
  db: Db,
  account: { readonly id: number; readonly username: string },
  { closesAt, content }: Closing,
  by: By,
  engine: Engine,
): Promise<void> {
  const { id } = account;
  await requireAnotherAdmin(db, account);
  const closed = { visible: 0, closes_at: closesAt, closing_content: content } as const;
  await db.updateTable('users').set(closed).where('id', '=', id).execute();
  await endInvitations(db, id);
  await endSessions(db, { userId: id }, { now: by.now, because: 'disabled' }, engine);
  await recordChange(db, 'account_closed', id, by, { content });
}
