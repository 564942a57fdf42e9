import { adminWrite } from '../accounts/admin-write.ts';
import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import { endSessions } from '../accounts/end-sessions.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import { byAdmin } from '../domain/by.ts';
import { notFound } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { livingPersonalTokens } from './list-personal-tokens.ts';
import type { AuthParts } from './parts.ts';
import type { UserRevocation } from './revoke-sessions.ts';

interface Revocation extends CallerInput {
  readonly id: string;
  readonly origin: Origin;
}

/** Revokes a token of the caller's account. Fails with `not_found` where the caller has no such living token. */
export const revokePersonalToken = callerWrite(
  'auth.revoke_personal_token',
  async (db, { id, now, origin }: Revocation, { userId }, engine): Promise<void> => {
    await endToken(db, { userId, id, now }, engine);
    const who = { accountId: userId, actorId: userId, sessionId: id };
    await recordEvent(db, { event: 'personal_token_revoked', at: now, origin, ...who });
  },
);

/** Revokes a token of any account, for an admin. Fails with `not_found` and `recent_sign_in_required`. */
export const revokeUserToken = adminWrite(
  'auth.revoke_user_token',
  async (db, input: UserRevocation, caller, engine): Promise<void> => {
    const { userId, id, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    await lockAccount(db, userId, now);
    await endToken(db, { userId, id, now }, engine);
    const { origin, actor } = byAdmin(input, caller);
    const about = { accountId: userId, detail: { token: id } };
    await recordEvent(db, { event: 'personal_token_revoked', at: now, origin, ...about, ...actor });
  },
);

async function endToken(
  db: Db,
  { userId, id, now }: Pick<UserRevocation, 'userId' | 'id' | 'now'>,
  engine: Engine,
): Promise<void> {
  const token = livingPersonalTokens(db, { userId, now }).select('id').where('id', '=', id);
  if (!(await token.executeTakeFirst())) throw notFound('personal access token');
  await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
  // Cleaning removes it a day from now, not a day after the end that it would have had.
  await db.updateTable('sessions').set({ absolute_expires_at: now }).where('id', '=', id).execute();
}

/** Revokes a token: refused here when this resolves, and by every other instance within a second. */
export async function revokeToken(parts: AuthParts, revocation: Revocation): Promise<void> {
  await parts.store.write(revokePersonalToken, revocation);
  parts.authenticator.forget({ key: revocation.id });
}
