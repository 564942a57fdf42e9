import { adminWrite } from '../accounts/admin-write.ts';
import { findByLogin } from '../accounts/find.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { tellOwner } from '../accounts/tell-owner.ts';
import { type By, byCaller } from '../domain/by.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import type { SecondFactor } from '../domain/second-factor.ts';
import type { CallerInput } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { type Engine, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { resetFactors } from './factors.ts';

interface Command {
  readonly account: string;
  readonly sendsMail: boolean;
  readonly now: number;
}

/**
 * Removes all second factors of an account for an operator, because the owner lost them, and tells the owner. Fails with
 * `not_found`.
 */
export const resetSecondFactors = writeOperation(
  'factors.reset_second_factors',
  async (db, { account, sendsMail, now }: Command, engine): Promise<void> => {
    const found = await findByLogin(db, account);
    if (!found) throw notFound('account');
    await resetAll(db, found.id, { sendsMail, now, origin: null }, engine);
  },
);

interface Reset extends CallerInput {
  readonly id: number;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/** Recovery codes have no mail: they are removed with the others. */
const NEWS = { totp: 'totp_disabled', passkey: 'passkey_removed' } as const;

/**
 * The same for an admin. Returns the kinds that the account no longer has. Fails with `not_found`,
 * `recent_sign_in_required`, and `forbidden` for the own account: an admin who must have a second factor would have
 * none.
 */
export const resetUserFactors = adminWrite(
  'factors.reset_user_factors',
  async (db, input: Reset, caller, engine): Promise<SecondFactor[]> => {
    const { id, now, sendsMail } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    if (id === caller.userId)
      throw forbidden('These are your own second factors; remove them one by one, under /api/auth.');
    return resetAll(db, id, { ...byCaller(input, caller), sendsMail }, engine);
  },
);

async function resetAll(
  db: Db,
  userId: number,
  { sendsMail, ...by }: By & { readonly sendsMail: boolean },
  engine: Engine,
): Promise<SecondFactor[]> {
  const { now, origin } = by;
  await lockAccount(db, userId, now, engine);
  const removed = await resetFactors(db, { userId, since: 0, ...by }, engine);
  for (const kind of ['totp', 'passkey'] as const)
    if (removed.includes(kind))
      await tellOwner(db, { userId, template: NEWS[kind], sendsMail, now, origin }, engine);
  return removed;
}
