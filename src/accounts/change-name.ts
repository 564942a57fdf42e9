import { skeletonOf } from '../domain/skeleton.ts';
import { foldKey, isAscii } from '../domain/text.ts';
import { DAY_MS } from '../domain/time.ts';
import { translateUnique } from '../store/constraint.ts';
import type { Db } from '../store/tables.ts';
import { claimName, nameTaken } from './claim-name.ts';

/** For so long nobody else gets a name that was given up: old links and old letters still mean the one who had it. */
const RESERVED_MS = 30 * DAY_MS;

/**
 * Gives the account this name, inside the write that asks for it, and reserves the one that it gives up. The account may
 * take a name back that it has reserved. Fails with `taken`. `now` is in milliseconds since 1970.
 */
export async function changeName(
  db: Db,
  account: { readonly id: number; readonly username: string },
  now: number,
): Promise<void> {
  const { id, username } = account;
  const key = foldKey(username);
  const old = await db
    .selectFrom('users')
    .select(['username', 'username_key'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  try {
    await db.updateTable('users').set({ username, username_key: key }).where('id', '=', id).execute();
  } catch (error) {
    translateUnique(error, { users_username_key: nameTaken });
  }
  await claimName(db, account);
  await db.deleteFrom('reserved_names').where('username_key', '=', key).where('user_id', '=', id).execute();
  if (old.username_key !== key) {
    await db
      .insertInto('reserved_names')
      .values({
        username_key: old.username_key,
        skeleton: isAscii(old.username) ? null : skeletonOf(old.username),
        user_id: id,
        free_at: now + RESERVED_MS,
      })
      .execute();
  }
  await releaseSkeletons(db, account);
}

/** Gives back what names look like that the account neither has nor has reserved. The caller has locked the account. */
export async function releaseSkeletons(
  db: Db,
  { id, username }: { readonly id: number; readonly username: string },
): Promise<void> {
  const skeleton = skeletonOf(username);
  const reserved = db
    .selectFrom('reserved_names')
    .select('skeleton')
    .where('user_id', '=', id)
    .where('skeleton', 'is not', null);
  if (isAscii(username)) {
    // From now on it shares this one with other names of ASCII.
    await db
      .updateTable('username_skeletons')
      .set({ user_id: null })
      .where('user_id', '=', id)
      .where('skeleton', '=', skeleton)
      .where('skeleton', 'not in', reserved)
      .execute();
  }
  await db
    .deleteFrom('username_skeletons')
    .where('user_id', '=', id)
    .where('skeleton', '!=', skeleton)
    .where('skeleton', 'not in', reserved)
    .execute();
}
