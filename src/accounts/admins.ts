import { Failure } from '../domain/failure.ts';
import { endLinks } from '../services/links/links.ts';
import { type Engine, readOperation, type WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** The ids of those who can act as an admin: the role, neither disabled nor closed. */
export function activeAdmins(db: Db) {
  return db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .where('closes_at', 'is', null);
}

/** Can anybody act as an admin? */
export const hasAdmin = readOperation(
  'accounts.has_admin',
  async (db, _: null): Promise<boolean> => (await activeAdmins(db).limit(1).execute()).length > 0,
);

/**
 * Ends what an account has sent as an admin, when it can no longer act as one: it could return by its own invitation.
 */
export async function endInvitations(db: Db, id: number): Promise<void> {
  await endLinks(db, { user_id: id }, 'invite').execute();
}

/**
 * Begins every write that can leave the service without an admin. Such writes come one after another, or two admins
 * could each be removed while the other still counts. It comes before any lock of a row, so that none of these writes
 * waits for another that waits for it.
 */
export function lockAdmins(db: Db, engine: Engine): Promise<void> {
  return engine.lock(db, 'admins');
}

/** The write, which calls `lockAdmins` first. On PostgreSQL one asker has as few connections as before. */
export function lockingAdmins<Input, Output>(
  write: WriteOperation<Input, Output>,
): WriteOperation<Input, Output> {
  const run: typeof write.run = async (db, input, engine) => {
    await lockAdmins(db, engine);
    return write.run(db, input, engine);
  };
  return { ...write, run };
}

/** Called after `lockAdmins`. Fails with `last_admin` where the account is the last that can act as an admin. */
export async function requireAnotherAdmin(
  db: Db,
  { id, username }: { readonly id: number; readonly username: string },
): Promise<void> {
  const [first, ...others] = await activeAdmins(db).limit(2).execute();
  if (first?.id === id && others.length === 0) {
    const message = `"${username}" is the last admin; make another admin first.`;
    throw new Failure({ error: 'last_admin', message });
  }
}
