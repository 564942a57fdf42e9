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

const callerBy = (db: Db, input: LivingSession) =>
  livingSession(db, input).select(['users.username', 'users.role', 'users.second_factor', 'sessions.scope']);
const lockCaller = statement((db, input: LivingSession) => callerBy(db, input).forShare());
const lockAlone = statement((db, input: LivingSession) => callerBy(db, input).forNoKeyUpdate());

type Run<Input, Output> = (db: Db, input: Input, caller: Caller, engine: Engine) => Promise<Output>;

/**
 * A write that a caller asks for. The access token was checked before the body came, which may be long ago. So
 * the session and the role are read again inside the write, and locked until the write ends (decisions 0032).
 * Fails with `token_revoked` when the session no longer lives.
 */
export function callerWrite<Input extends CallerInput, Output>(
  name: string,
  run: Run<Input, Output>,
): WriteOperation<Input, Output> {
  return writeBy(lockCaller, name, run);
}

/**
 * A `callerWrite` that changes the account of the caller, or what the account signs in with: one at a time for an account.
 * Two that had locked the row together would wait for each other to change it, until the database ends one.
 */
export function ownAccountWrite<Input extends CallerInput, Output>(
  name: string,
  run: Run<Input, Output>,
): WriteOperation<Input, Output> {
  return writeBy(lockAlone, name, run);
}

function writeBy<Input extends CallerInput, Output>(
  lock: typeof lockCaller,
  name: string,
  run: Run<Input, Output>,
): WriteOperation<Input, Output> {
  return writeOperation(name, async (db, input: Input, engine) => {
    const { sessionId, userId } = input.caller;
    const [account] = await lock(db, { sessionId, userId, now: input.now });
    if (!account) throw tokenRevoked();
    const { second_factor, ...caller } = account;
    return run(db, input, { sessionId, userId, ...caller, hasSecondFactor: second_factor === 1 }, engine);
  });
}
