import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import type { Caller } from '../domain/account.ts';
import { type Engine, type WriteOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/**
 * A `callerWrite` that changes what the caller signs in with: one at a time for an account. This lock comes before that of
 * the row of the account, which each such write takes shared and then needs alone. In the other order, two would wait for
 * each other until the database ends one.
 */
export function factorWrite<Input extends CallerInput, Output>(
  name: string,
  run: (db: Db, input: Input, caller: Caller, engine: Engine) => Promise<Output>,
): WriteOperation<Input, Output> {
  const write = callerWrite(name, run);
  return writeOperation(name, async (db, input: Input, engine) => {
    await engine.lock(db, `second factors of ${input.caller.userId}`);
    return write.run(db, input, engine);
  });
}
