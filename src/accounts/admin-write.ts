import type { Caller } from '../domain/account.ts';
import { forbidden } from '../domain/failure.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Engine, WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { lockingAdmins } from './admins.ts';

/**
 * A write that an admin asks for: a `callerWrite` whose caller is an admin still. Fails with `forbidden` for everybody
 * else.
 */
export function adminWrite<Input extends CallerInput, Output>(
  name: string,
  run: (db: Db, input: Input, caller: Caller, engine: Engine) => Promise<Output>,
): WriteOperation<Input, Output> {
  return lockingAdmins(
    callerWrite(name, async (db, input: Input, caller, engine) => {
      if (caller.role !== 'admin') throw forbidden('Only the role "admin" may do this.');
      return run(db, input, caller, engine);
    }),
  );
}
