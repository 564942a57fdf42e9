import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { type AdminRow, accountForAdmins } from './list-for-admins.ts';

/** One account by id as admins see it, closed or not. Fails with `not_found`, also for one that is being removed. */
export const findUserForAdmin = readOperation(
  'users.find_for_admin',
  async (db, { id, now }: { readonly id: number; readonly now: number }): Promise<AdminRow> => {
    const account = await accountForAdmins(db, id, now);
    if (!account) throw notFound('user');
    return account;
  },
);
