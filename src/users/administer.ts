import type { Role } from '../domain/account.ts';
import { notFound } from '../domain/failure.ts';
import { foldKey } from '../domain/text.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** The id of the account with this user name or e-mail address, in any spelling. Fails with `not_found`. */
async function accountNamed(db: Db, name: string): Promise<number> {
  const key = foldKey(name);
  const account = await db
    .selectFrom('users')
    .select('id')
    .where(key.includes('@') ? 'email_key' : 'username_key', '=', key)
    .executeTakeFirst();
  if (!account) throw notFound('account');
  return account.id;
}

/** Gives the account a role; its running sessions have it within a second. */
export const setRole = writeOperation(
  'users.set_role',
  async (db, input: { account: string; role: Role }, engine) => {
    const id = await accountNamed(db, input.account);
    await db.updateTable('users').set({ role: input.role }).where('id', '=', id).execute();
    await engine.announce(db, 'anything');
  },
);

/** Refuses the account's logins and ends its sessions, in one step. */
export const disableAccount = writeOperation(
  'users.disable',
  async (db, input: { account: string; now: number }, engine) => {
    const id = await accountNamed(db, input.account);
    await db.updateTable('users').set({ disabled_at: input.now }).where('id', '=', id).execute();
    await db
      .updateTable('sessions')
      .set({ ended_at: input.now, ended_because: 'disabled' })
      .where('user_id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
    await engine.announce(db, 'anything');
  },
);

/** Lets the account log in again; the sessions that it had stay ended. */
export const enableAccount = writeOperation('users.enable', async (db, input: { account: string }) => {
  const id = await accountNamed(db, input.account);
  await db.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute();
});
