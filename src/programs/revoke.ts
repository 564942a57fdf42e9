import { revocationOfUser } from '../accounts/user-sessions.ts';
import { byCaller } from '../domain/by.ts';
import { notFound } from '../domain/failure.ts';
import { recordChange } from '../services/audit/record.ts';
import { type Asked, ownAccountWrite } from '../sessions/caller-write.ts';
import { endSessions } from '../sessions/end.ts';
import type { OneSession } from '../sessions/revoke.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { livingPersonalTokens } from './list.ts';

/** Revokes a token of the caller's account. Fails with `not_found` where the caller has no such living token. */
export const revokePersonalToken = ownAccountWrite(
  'programs.revoke_personal_token',
  async (db, input: Asked & { readonly id: string }, { userId }, engine): Promise<void> => {
    const { id, now } = input;
    await endToken(db, { userId, id, now }, engine);
    await recordChange(db, 'personal_token_revoked', userId, byCaller(input, { userId, sessionId: id }));
  },
);

export const revokeUserToken = revocationOfUser(
  'programs.revoke_user_token',
  'personal_token_revoked',
  'token',
  endToken,
);

async function endToken(db: Db, { userId, id, now }: OneSession, engine: Engine): Promise<void> {
  const token = livingPersonalTokens(db, { userId, now }).select('id').where('id', '=', id);
  // Locked: of two writes that end it at once, the second finds none.
  if (!(await token.forNoKeyUpdate('sessions').executeTakeFirst())) throw notFound('personal access token');
  await endSessions(db, { sessionId: id }, { now, because: 'logout' }, engine);
  // Cleaning removes the row a day from now, not a day after the end that it would have had.
  await db.updateTable('sessions').set({ absolute_expires_at: now }).where('id', '=', id).execute();
}
