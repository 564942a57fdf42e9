import { readOperation } from '../store/operation.ts';

/** Is there an account with the role admin that is not disabled? */
export const hasAdmin = readOperation('users.has_admin', async (db, _: null): Promise<boolean> => {
  const admin = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
});
