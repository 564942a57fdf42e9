import { signInAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { queueMail } from '../services/mail/queue.ts';
import { writeOperation } from '../store/operation.ts';

interface Restoration {
  readonly userId: number;
  /** The hash that the password was checked against. */
  readonly checkedHash: string;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Opens a closed account again, and tells its owner by mail. An account that is open stays so. False where its time is
 * over, and where its password was replaced since the check.
 */
export const restoreAccount = writeOperation(
  'sign_in.restore_account',
  async (db, { userId, checkedHash, sendsMail, now, origin }: Restoration, engine): Promise<boolean> => {
    const checked = { id: userId, password_hash: checkedHash } as const;
    const restored = await db
      .updateTable('users')
      .set({ visible: 1, closes_at: null, closing_content: null })
      .where((eb) => eb.and(checked))
      .where('closes_at', '>', now)
      .returning(['username', 'email'])
      .executeTakeFirst();
    const event = { at: now, origin, accountId: userId };
    if (!restored) {
      const open = db
        .selectFrom('users')
        .select('id')
        .where((eb) => eb.and({ ...checked, closes_at: null }));
      if (!(await open.executeTakeFirst())) return false;
      // The answer says that the password is right, so it leaves a trace.
      await recordEvent(db, { ...event, event: 'proof_accepted', detail: { because: 'account_open' } });
      return true;
    }
    await recordEvent(db, { ...event, event: 'account_restored', actorId: userId });
    // A thief of the password may have done so, which an owner who closed the account would not notice.
    const { username, email: recipient } = restored;
    const mail = { accountId: userId, recipient, template: 'account_restored', now, origin } as const;
    if (sendsMail) await queueMail(db, { ...mail, values: { username } }, engine);
    return true;
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);
