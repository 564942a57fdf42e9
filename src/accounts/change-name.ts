import { skeletonOf } from '../domain/skeleton.ts';
import { foldKey, isAscii } from '../domain/text.ts';
import { DAY_MS } from '../domain/time.ts';
import { translateUnique } from '../store/constraint.ts';
import type { Db } from '../store/tables.ts';
import { claimName, type Named, nameTaken, releaseSkeleton } from './claim-name.ts';

/** How long nobody else gets a name that was given up: old links and letters still mean the account that had it. */
const RESERVED_MS = 30 * DAY_MS;

/**
 * Gives the account this name, inside the write that asks for it, and reserves the previous name. The account may take
 * a name back that it has reserved. Fails with `taken`. `now` is in milliseconds since 1970.
 */
export async function changeName(db: Db, account: Named, now: number): Promise<void> {
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
  await takeBack(db, account);
  if (old.username_key === key) await releaseSkeleton(db, { id, username: old.username });
  else {
    const reserved = { ...old, user_id: id, free_at: now + RESERVED_MS };
    await db.insertInto('reserved_names').values(reserved).execute();
  }
  await shareSkeletons(db, account);
}

/** A name that the account had reserved is no longer one that it gave up. */
async function takeBack(db: Db, { id, username }: Named): Promise<void> {
  const reserved = await db
    .deleteFrom('reserved_names')
    .where('username_key', '=', foldKey(username))
    .where('user_id', '=', id)
    .returning('username')
    .executeTakeFirst();
  if (reserved) await releaseSkeleton(db, { id, username: reserved.username });
}

/**
 * ASCII names share one skeleton row. This account now shares those that it has only for ASCII names. The caller has
 * locked the account.
 */
export async function shareSkeletons(db: Db, { id, username }: Named): Promise<void> {
  const reserved = await db
    .selectFrom('reserved_names')
    .select('username')
    .where('user_id', '=', id)
    .execute();
  const own = [username, ...reserved.map((row) => row.username)].filter((name) => !isAscii(name));
  await db
    .updateTable('username_skeletons')
    .set({ user_id: null })
    .where('user_id', '=', id)
    .$if(own.length > 0, (rows) => rows.where('skeleton', 'not in', own.map(skeletonOf)))
    .execute();
}
