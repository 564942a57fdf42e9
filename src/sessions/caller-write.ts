import type { Caller } from '../domain/account.ts';
import { type Asker, accountAsker } from '../domain/admission/fair-queue.ts';
import { tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { type Engine, type WriteOperation, writeOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import {
  type CallerKey,
  type CallerRow,
  type LivingSession,
  livingCaller,
  toCaller,
} from './living-session.ts';

/** What every write that a caller asks for needs in its input. */
export interface CallerInput {
  /** Who asks. What the operation decides by is the caller that it gets beside its input, as that is now. */
  readonly caller: CallerKey;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The same for a write that is recorded, or that mails: also where the request came from. */
export interface Asked extends CallerInput {
  readonly origin: Origin;
}

const lockCaller = statement((db, input: LivingSession) => livingCaller(db, input).forShare());
const lockAlone = statement((db, input: LivingSession) => livingCaller(db, input).forNoKeyUpdate());

type Run<Input, Output> = (db: Db, input: Input, caller: Caller, engine: Engine) => Promise<Output>;

/**
 * A write that a caller asks for. The access token was checked before the body came, which may be long ago. So the
 * session and the role are read again inside the write, and locked until the write ends (docs/decisions/sessions.md).
 * Fails with `token_revoked` when the session no longer lives.
 */
export function callerWrite<Input extends CallerInput, Output>(
  name: string,
  run: Run<Input, Output>,
): WriteOperation<Input, Output> {
  const lock: Lock = async (db, session, engine) => {
    const shared = engine.lockShared(db, `account ${session.userId}`);
    const [, [account]] = await Promise.all([shared, lockCaller(db, session)]);
    return account;
  };
  return writeOperation(name, checked(lock, run), { askerOf });
}

/**
 * A `callerWrite` that changes the account of the caller, or what the account signs in with: one at a time for an account.
 * Two writes that share the lock would each wait for the other to release it, until the database ends one.
 */
export function ownAccountWrite<Input extends CallerInput, Output>(
  name: string,
  run: Run<Input, Output>,
): WriteOperation<Input, Output> {
  const lock: Lock = async (db, session, engine) => {
    const alone = engine.lock(db, `account ${session.userId}`);
    const [, [account]] = await Promise.all([alone, lockAlone(db, session)]);
    return account;
  };
  return writeOperation(name, checked(lock, run), { askerOf, turns: 'exclusive' });
}

/** Locks the account by its name before its row, in one round trip. */
type Lock = (db: Db, session: LivingSession, engine: Engine) => Promise<CallerRow | undefined>;

function checked<Input extends CallerInput, Output>(lock: Lock, run: Run<Input, Output>) {
  return async (db: Db, input: Input, engine: Engine): Promise<Output> => {
    const { sessionId, userId } = input.caller;
    const account = await lock(db, { sessionId, userId, now: input.now }, engine);
    if (!account) throw tokenRevoked();
    return run(db, input, toCaller(account, input.caller), engine);
  };
}

function askerOf({ caller }: CallerInput): Asker {
  return accountAsker(caller);
}
