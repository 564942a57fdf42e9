import { type CallerInput, ownAccountWrite } from '../../accounts/caller-write.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { noPendingChange, pendingChange } from './pending-change.ts';

/** Ends the change of the address that the caller has begun, with all its links. Fails with `not_found`. */
export const withdrawEmailChange = ownAccountWrite(
  'auth.withdraw_email_change',
  async (db, { now, origin }: CallerInput & { readonly origin: Origin }, caller): Promise<void> => {
    const { userId, sessionId } = caller;
    if (!(await pendingChange(db, { userId, now }))) throw noPendingChange();
    await db.deleteFrom('email_links').where('user_id', '=', userId).where('kind', '=', 'change').execute();
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'email_change_withdrawn', at: now, origin, ...who });
  },
);
