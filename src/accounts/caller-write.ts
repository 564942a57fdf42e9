import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { type Engine, type WriteOperation, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { type CallerKey, type LivingSession, livingSession } from './living-session.ts';

/** What every write that a caller asks for needs in its input. */
export interface CallerInput {
  readonly caller: CallerKey;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const lockCaller = statement((db, input: LivingSession) =>
  livingSession(db, input)
    .select(['users.username', 'users.role', 'users.second_factor', 'sessions.scope'])
    .forShare(),
);

/**
 * A write that a caller asks for. The access token was checked before the body came, which may be long ago. So
 * the session and the role are read again inside the write, and locked until the write ends (decisions 0032).
 * Fails with `token_revoked` when the session no longer lives.
 */
export function callerWrite<Input extends CallerInput, Output>(
  name: string,
  run: (db: Db, input: Input, caller: Caller, engine: Engine) => Promise<Output>,
): WriteOperation<Input, Output> {
  return writeOperation(name, async (db, input: Input, engine) => {
    const { sessionId, userId } = input.caller;
    const [account] = await lockCaller(db, { sessionId, userId, now: input.now });
    if (!account) throw tokenRevoked();
    const { second_factor, ...caller } = account;
    return run(db, input, { sessionId, userId, ...caller, hasSecondFactor: second_factor === 1 }, engine);
  });
}
