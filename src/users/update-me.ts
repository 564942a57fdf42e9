import { type CallerInput, ownAccountWrite } from '../accounts/caller-write.ts';
import { changeName } from '../accounts/change-name.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { Caller } from '../domain/account.ts';
import { invalid } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { DAY_MS } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { type AccountBudget, spendBudget } from '../services/throttle/account-budget.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { findUser } from './me.ts';
import type { MeChange, MeRow } from './me-contract.ts';

/** Five at once, and then one each six days. Each makes all instances read all sessions anew. */
const NAME_CHANGES: AccountBudget = {
  kind: 'name_change',
  free: 5,
  everyMs: 6 * DAY_MS,
  message: 'Your user name was changed too often; try again in some days.',
};
const PROFILE_BYTES = 8 * 1024;

interface Update extends CallerInput {
  readonly username?: string;
  /** The columns to set. */
  readonly columns: { readonly display_name?: string | null; readonly profile?: string };
  readonly origin: Origin;
}

/**
 * Changes the members that are given of the caller's own account, keeps the others, and returns the row as it is now.
 * Another user name asks for a recent sign-in. Fails with `taken`, `recent_sign_in_required` or `too_many_requests`.
 */
export const updateMe = ownAccountWrite(
  'users.update_me',
  async (db, input: Update, caller, engine): Promise<MeRow> => {
    const { username, columns, now } = input;
    if (username !== undefined && username !== caller.username)
      await changeOwnName(db, { ...input, username }, caller, engine);
    if (Object.keys(columns).length > 0)
      await db.updateTable('users').set(columns).where('id', '=', caller.userId).execute();
    return findUser.run(db, { id: caller.userId, now }, engine);
  },
);

async function changeOwnName(
  db: Db,
  { username, now, origin }: Update & { readonly username: string },
  { userId, sessionId }: Caller,
  engine: Engine,
): Promise<void> {
  await requireRecentSignIn(db, { sessionId, now });
  await spendBudget(db, NAME_CHANGES, userId, now);
  await changeName(db, { id: userId, username }, now);
  // Not the names: the trail stays when an account is gone, and then names nobody.
  const who = { accountId: userId, actorId: userId, sessionId };
  await recordEvent(db, { event: 'username_changed', at: now, origin, ...who });
  await engine.publish(db, 'anything');
}

/** What the write needs of a change, as the columns have it. Fails with `validation_failed`. */
export function partsOf({ username, display_name, profile }: MeChange): Pick<Update, 'username' | 'columns'> {
  return {
    ...(username !== undefined && { username }),
    columns: {
      ...(display_name !== undefined && { display_name: display_name === '' ? null : display_name }),
      ...(profile !== undefined && { profile: profileText(profile) }),
    },
  };
}

function profileText(profile: object): string {
  const text = JSON.stringify(profile, (_name, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw wrongProfile('a number that is too large');
    return value;
  });
  if (Buffer.byteLength(text) > PROFILE_BYTES) throw wrongProfile('more than 8 KiB as JSON');
  return text;
}

function wrongProfile(what: string) {
  return invalid([{ field: 'profile', rule: 'profile', message: `profile must not have ${what}.` }]);
}
