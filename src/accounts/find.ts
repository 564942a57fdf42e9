import { foldKey } from '../domain/text.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

const byName = accountBy('username_key');
const byEmail = accountBy('email_key');

function accountBy(column: 'username_key' | 'email_key') {
  return statement((db, input: { key: string }) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'password_hash', 'disabled_at', 'must_change_password', 'closes_at'])
      .select(['email_verified_at', 'second_factor'])
      .where(column, '=', input.key),
  );
}

/** The account with this user name or e-mail address, in any spelling. An address always has "@", a name never has. */
export function findByLogin(db: Db, login: string) {
  return findByKey(db, foldKey(login));
}

/** The same for a login that is folded already (`foldKey`). */
export async function findByKey(db: Db, key: string) {
  const [account] = await (key.includes('@') ? byEmail : byName)(db, { key });
  return account;
}

/** The id of the account with this user name or e-mail address, in any spelling; null where there is none. */
export const findAccountId = readOperation(
  'accounts.find_id',
  async (db, login: string) => (await findByLogin(db, login))?.id ?? null,
);
