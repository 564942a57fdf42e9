import { tellOwner } from '../accounts/tell-owner.ts';
import type { Scope } from '../domain/account.ts';
import { byCaller } from '../domain/by.ts';
import { limitReached } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { recordChange } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import { type Asked, callerWrite } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { hasRows } from '../store/pages.ts';
import { livingPersonalTokens } from './list.ts';

interface NewToken extends Asked {
  readonly id: string;
  readonly tokenHash: string;
  readonly name: string;
  readonly scope: Scope;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly sendsMail: boolean;
}

/**
 * Makes a personal access token of the caller's account, and tells the owner. Fails with `recent_sign_in_required` and
 * `too_many_requests`, and with `limit_reached` where the account has as many as it may.
 */
export const createPersonalToken = callerWrite(
  'programs.create_personal_token',
  async (db, input: NewToken, { userId, sessionId }, engine): Promise<void> => {
    const { id, tokenHash, name, scope, expiresAt, sendsMail, now, origin } = input;
    await requireRecentSignIn(db, { sessionId, now });
    await engine.lock(db, `personal tokens of ${userId}`);
    const most = ROW_LIMITS.personalTokens;
    if (await hasRows(livingPersonalTokens(db, { userId, now }).select('sessions.id'), most))
      throw limitReached(`An account has ${most} personal access tokens at most; delete one first.`);
    await spend(db, 'token_creation', userId, now);
    const begun = { created_at: now, rotated_at: now };
    const ends = { idle_expires_at: expiresAt, absolute_expires_at: expiresAt };
    // No refresh token has an empty hash.
    const session = { id, user_id: userId, token_hash: '', ...begun, ...ends, scope };
    await db.insertInto('sessions').values(session).execute();
    await db.insertInto('personal_tokens').values({ session_id: id, token_hash: tokenHash, name }).execute();
    const by = byCaller(input, { userId, sessionId: id });
    await recordChange(db, 'personal_token_created', userId, by, { scope });
    await tellOwner(db, { userId, template: 'personal_token_created', sendsMail, now, origin }, engine);
  },
);
