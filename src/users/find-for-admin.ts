import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { type AdminRow, accountForAdmins } from './list-for-admins.ts';

/** One account by id as admins see it, hidden or not. Fails with `not_found`. */
export const findUserForAdmin = readOperation(
  'users.find_for_admin',
  async (db, id: number): Promise<AdminRow> => {
    const account = await accountForAdmins(db, id);
    if (!account) throw notFound('user');
    return account;
  },
);
