import { activeAdmins } from '../accounts/admins.ts';
import { findByLogin } from '../accounts/find.ts';
import { readOperation } from '../store/operation.ts';

/** Can anybody act as an admin? */
export const hasAdmin = readOperation('users.has_admin', async (db, _: null): Promise<boolean> => {
  const admin = await activeAdmins(db).limit(1).executeTakeFirst();
  return admin !== undefined;
});

/** The id of the account with this user name or e-mail address, in any spelling; null where there is none. */
export const findAccountId = readOperation(
  'users.find_id',
  async (db, login: string) => (await findByLogin(db, login))?.id ?? null,
);
