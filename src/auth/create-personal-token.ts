import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { Scope } from '../domain/account.ts';
import { limitReached } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import { type AccountBudget, perHour, spendBudget } from '../services/throttle/account-budget.ts';
import { livingPersonalTokens } from './list-personal-tokens.ts';
import { tellOwner } from './tell-owner.ts';

/** Living ones of an account. */
const MOST = 50;
/** Each leaves two events in the audit trail. */
const CREATIONS: AccountBudget = {
  kind: 'token_creation',
  ...perHour(200),
  message: 'Your account made too many tokens; try again later.',
};

interface NewToken extends CallerInput {
  readonly id: string;
  readonly tokenHash: string;
  readonly name: string;
  readonly scope: Scope;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

/**
 * Makes a personal access token of the caller's account, and tells the owner. Fails with `recent_sign_in_required` and
 * `too_many_requests`, and with `limit_reached` where the account has as many as it may.
 */
export const createPersonalToken = callerWrite(
  'auth.create_personal_token',
  async (db, input: NewToken, { userId, sessionId }, engine): Promise<void> => {
    const { id, tokenHash, name, scope, expiresAt, sendsMail, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await engine.lock(db, `personal tokens of ${userId}`);
    const { total } = await livingPersonalTokens(db, { userId, now })
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    if (Number(total) >= MOST) {
      throw limitReached(`An account has ${MOST} personal access tokens at most; delete one first.`);
    }
    await spendBudget(db, CREATIONS, userId, now);
    const times = {
      created_at: now,
      rotated_at: now,
      idle_expires_at: expiresAt,
      absolute_expires_at: expiresAt,
    };
    // No refresh token has an empty hash.
    const session = { id, user_id: userId, token_hash: '', ...times, scope };
    await db.insertInto('sessions').values(session).execute();
    await db.insertInto('personal_tokens').values({ session_id: id, token_hash: tokenHash, name }).execute();
    const who = { accountId: userId, actorId: userId, sessionId: id };
    await recordEvent(db, { event: 'personal_token_created', at: now, origin, ...who, detail: { scope } });
    await tellOwner(db, { userId, template: 'personal_token_created', sendsMail, now, origin }, engine);
  },
);
