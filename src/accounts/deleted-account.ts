import { randomBytes } from 'node:crypto';
import type { Db } from '../store/tables.ts';

/** The user name of the account that gets the content of removed accounts. Nobody can register a name with a space. */
export const DELETED_ACCOUNT = 'deleted account';

/**
 * The id of that account, which is made when it is first needed. It is disabled and has the hash of no password, so nobody
 * signs in to it. It is hidden, so it is in no list. No other account has an empty address.
 */
export async function deletedAccount(db: Db, now: number): Promise<number> {
  await db
    .insertInto('users')
    .values({
      username: DELETED_ACCOUNT,
      username_key: DELETED_ACCOUNT,
      email: '',
      email_key: '',
      password_hash: hashOfNothing(),
      role: 'member',
      visible: 0,
      created_at: now,
      disabled_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', DELETED_ACCOUNT)
    .executeTakeFirstOrThrow();
  return id;
}

/** A hash that nobody knows a password for. A sign-in that names the account takes as long as any other. */
function hashOfNothing(): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`;
}
