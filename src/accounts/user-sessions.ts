import { byCaller } from '../domain/by.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { EventName } from '../services/audit/events.ts';
import { recordChange } from '../services/audit/record.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { listSessions } from '../sessions/list.ts';
import type { AccountSessions } from '../sessions/living-session.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { endSignIn, type OneSession } from '../sessions/revoke.ts';
import { type Engine, type ReadOperation, readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { adminWrite } from './admin-write.ts';
import { endAllSessions } from './changes.ts';
import { lockAccount, requireAccount } from './lock-account.ts';

type Query = AccountSessions & PageRequest;

/** A list of the caller's own as an admin gets it of any account. Fails with `not_found`. */
export function listOfUser<Row>(name: string, own: ReadOperation<Query, Page<Row>>) {
  return readOperation(name, async (db, query: Query, engine) => {
    await requireAccount(db, query.userId, query.now);
    return own.run(db, query, engine);
  });
}

export const listUserSessions = listOfUser('accounts.list_sessions', listSessions);

/** Ends all sessions of an account, those of programs too; returns how many. Fails with `not_found`. */
export const endUserSessions = adminWrite(
  'accounts.end_user_sessions',
  async (db, input: Asked & { readonly id: number }, caller, engine): Promise<number> => {
    await lockAccount(db, input.id, input.now, engine);
    return endAllSessions(db, input.id, byCaller(input, caller), engine);
  },
);

/**
 * The write by which an admin ends one session of any account, or one token; `what` names its id in the audit trail. Fails
 * with `not_found` and `recent_sign_in_required`.
 */
export function revocationOfUser(
  name: string,
  event: EventName,
  what: string,
  end: (db: Db, one: OneSession, engine: Engine) => Promise<void>,
) {
  return adminWrite(name, async (db, input: Asked & OneSession, caller, engine): Promise<void> => {
    const { userId, id, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    await lockAccount(db, userId, now, engine);
    await end(db, input, engine);
    await recordChange(db, event, userId, byCaller(input, caller), { [what]: id });
  });
}

export const revokeUserSession = revocationOfUser(
  'accounts.revoke_session',
  'session_revoked',
  'session',
  endSignIn,
);
