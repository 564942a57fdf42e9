import type { Db } from '../store/tables.ts';

/** The ids of those who can act as an admin: the role, and not disabled. */
export function activeAdmins(db: Db) {
  return db.selectFrom('users').select('id').where('role', '=', 'admin').where('disabled_at', 'is', null);
}
