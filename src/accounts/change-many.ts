import { Failure, forbidden } from '../domain/failure.ts';
import type { Asked } from '../sessions/caller-write.ts';
import type { ManyResult, RoleOrAccess } from './admin-contract.ts';
import { adminWrite } from './admin-write.ts';
import { changeUser } from './change.ts';
import { WHY_NOT } from './why-not.ts';

interface ChangeMany extends Asked {
  readonly ids: readonly number[];
  readonly change: RoleOrAccess;
  readonly sendsMail: boolean;
}

/**
 * Makes the same change to each account, as `changeUser` does, and says for each what came of it: one that is refused
 * does not stop the others. The own account is refused, so the caller stays an active admin, and the service is not left
 * without one. Fails with `recent_sign_in_required` for what gives rights.
 */
export const changeManyUsers = adminWrite(
  'accounts.change_many',
  async (db, { ids, change, ...asked }: ChangeMany, { userId }, engine): Promise<ManyResult[]> => {
    const results: ManyResult[] = [];
    for (const id of ids)
      try {
        if (id === userId) throw forbidden('This is your own account; change it by itself.');
        await changeUser.run(db, { id, ...change, ...asked }, engine);
        results.push({ id });
      } catch (failure) {
        const error = failure instanceof Failure && WHY_NOT.find((name) => name === failure.data.error);
        if (!error) throw failure;
        results.push({ id, error, message: failure.message });
      }
    return results;
  },
);
