import { adminWrite } from '../../accounts/admin-write.ts';
import type { CallerInput } from '../../accounts/caller-write.ts';
import { findByLogin } from '../../accounts/find.ts';
import { lockAccount } from '../../accounts/lock-account.ts';
import { requireRecentSignIn } from '../../accounts/recent-sign-in.ts';
import { type By, byAdmin } from '../../domain/by.ts';
import { forbidden, notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import type { SecondFactor } from '../../domain/second-factor.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { resetFactors } from '../factors.ts';
import { tellOwner } from '../tell-owner.ts';

/** Removes all second factors of an account, as an operator asks for whoever lost them. Fails with `not_found`. */
export const resetSecondFactors = writeOperation(
  'auth.reset_second_factors',
  async (db, { account, now }: { account: string; now: number }): Promise<void> => {
    const found = await findByLogin(db, account);
    if (!found) throw notFound('account');
    await resetAll(db, found.id, { now, origin: null });
  },
);

interface Reset extends CallerInput {
  readonly id: number;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/** Recovery codes come and go with the others. */
const NEWS = { totp: 'totp_disabled', passkey: 'passkey_removed' } as const;

/**
 * The same for an admin, and the owner is told; returns the kinds that are gone. Fails with `not_found`, `recent_sign_in_required`, and `forbidden`
 * for the own account: an admin who must have a second factor would have none.
 */
export const resetUserFactors = adminWrite(
  'auth.reset_user_factors',
  async (db, input: Reset, caller, engine): Promise<SecondFactor[]> => {
    const { id, now, origin, sendsMail } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    if (id === caller.userId)
      throw forbidden('These are your own second factors; remove them one by one, under /api/auth.');
    const removed = await resetAll(db, id, byAdmin(input, caller));
    for (const kind of ['totp', 'passkey'] as const)
      if (removed.includes(kind))
        await tellOwner(db, { userId: id, template: NEWS[kind], sendsMail, now, origin }, engine);
    return removed;
  },
);

async function resetAll(db: Db, userId: number, by: By): Promise<SecondFactor[]> {
  await lockAccount(db, userId, by.now);
  return resetFactors(db, { userId, since: 0, ...by });
}
