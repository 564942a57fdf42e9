import type { Caller } from '../domain/account.ts';
import { byCaller } from '../domain/by.ts';
import { recordChange } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import { type Asked, ownAccountWrite } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { ColumnsSetBy } from '../store/field-types.ts';
import { columnsGiven } from '../store/fields.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { changeName } from './change-name.ts';
import { ACCOUNT_FIELDS, type AccountFields } from './fields.ts';
import { findUser, type MeRow } from './me.ts';

/** The columns that the body of a change sets, for `Update`. Fails with `validation_failed`. */
export const columnsOf = columnsGiven(ACCOUNT_FIELDS, 'owner');

interface Update extends Asked {
  readonly username?: string | undefined;
  /** The columns to set. */
  readonly columns: Partial<ColumnsSetBy<AccountFields, 'owner'>>;
}

/**
 * Changes the members that are given of the caller's own account, keeps the others, and returns the row as it is now.
 * Another user name asks for a recent sign-in. Fails with `taken`, `recent_sign_in_required` or `too_many_requests`.
 */
export const updateMe = ownAccountWrite(
  'accounts.update_me',
  async (db, input: Update, caller, engine): Promise<MeRow> => {
    const { username, columns, now } = input;
    const { userId: id } = caller;
    if (username !== undefined && username !== caller.username)
      await changeOwnName(db, username, input, caller, engine);
    if (Object.keys(columns).length > 0)
      await db.updateTable('users').set(columns).where('id', '=', id).execute();
    return findUser.run(db, { id, now }, engine);
  },
);

async function changeOwnName(
  db: Db,
  username: string,
  asked: Asked,
  caller: Caller,
  engine: Engine,
): Promise<void> {
  const { now } = asked;
  const { userId: id, sessionId } = caller;
  await requireRecentSignIn(db, { sessionId, now });
  await spend(db, 'name_change', id, now);
  await changeName(db, { id, username }, now);
  // Without the names: the trail stays when an account is gone, and then names nobody.
  await recordChange(db, 'username_changed', id, byCaller(asked, caller));
  await engine.announce(db, { topic: 'account', key: id });
}
