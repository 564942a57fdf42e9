import { lockAdmins } from '../accounts/admins.ts';
import { type CallerInput, ownAccountWrite } from '../accounts/caller-write.ts';
import { closeAccount } from '../accounts/close.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { ClosingContent } from '../accounts/tables.ts';
import type { Origin } from '../domain/origin.ts';
import { isoTime } from '../domain/time.ts';
import { queueMail } from '../services/mail/queue.ts';
import { writeOperation } from '../store/operation.ts';

interface Closing extends CallerInput {
  readonly content: ClosingContent;
  /** When the account is removed; now, where there is no grace. */
  readonly closesAt: number;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

const close = ownAccountWrite(
  'personal_data.close_own_account',
  async (db, input: Closing, { userId, sessionId }, engine): Promise<void> => {
    const { now, closesAt, content, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    const { username, email } = await db
      .selectFrom('users')
      .select(['username', 'email'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    const actor = { actorId: userId, sessionId };
    await closeAccount(db, { id: userId, username }, { closesAt, content, now, origin, actor }, engine);
    // Where there is no grace, the mail would be removed with the account.
    if (!input.sendsMail || closesAt <= now) return;
    const values = { username, removed_at: isoTime(closesAt) };
    const address = { accountId: userId, recipient: email };
    const mail = { ...address, template: 'account_closed', values, origin } as const;
    await queueMail(db, { ...mail, now }, engine);
  },
);

/**
 * Closes the account of the caller, and tells the owner by mail when it is removed. Fails with
 * `recent_sign_in_required`, and with `last_admin`.
 */
export const closeOwnAccount = writeOperation(close.name, async (db, input: Closing, engine) => {
  await lockAdmins(db, engine);
  await close.run(db, input, engine);
});
