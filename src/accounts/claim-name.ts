import { type Failure, taken } from '../domain/failure.ts';
import { skeletonOf } from '../domain/skeleton.ts';
import { foldKey, isAscii } from '../domain/text.ts';
import type { Db } from '../store/tables.ts';

export interface Named {
  readonly id: number;
  readonly username: string;
}

/** The failure `taken` of a user name that another account has, or had lately. */
export function nameTaken(): Failure {
  return taken('username', 'This user name is taken; choose another.');
}

export function looksTaken(): Failure {
  return taken('username', 'This user name looks like one that is taken; choose another.');
}

/**
 * What the unique key of a name does not decide, inside the write that gave the name to the account: nobody has it
 * reserved, and nobody has one that looks like it. Fails with `taken`.
 */
export async function claimName(db: Db, account: Named): Promise<void> {
  // The account has the unique key of the name already. An account that gives the name up holds the key until its
  // reservation is committed, so this later statement sees the reservation (docs/decisions/names-and-text.md).
  const reserved = await db
    .selectFrom('reserved_names')
    .select('user_id')
    .where('username_key', '=', foldKey(account.username))
    .where('user_id', '!=', account.id)
    .executeTakeFirst();
  if (reserved) throw nameTaken();
  await claimSkeleton(db, account);
}

/**
 * Takes the skeleton of the name: what it looks like. Names of ASCII share a skeleton with one another; any other name
 * has its own. An account keeps the skeletons of its reserved names (docs/decisions/names-and-text.md). `names` counts
 * the names that are in use or reserved.
 */
async function claimSkeleton(db: Db, { id, username }: Named): Promise<void> {
  const row = { skeleton: skeletonOf(username), user_id: isAscii(username) ? null : id };
  // The unique key lets one of two writes in. The other waits for it, and continues only if both names may share.
  const claimed = await db
    .insertInto('username_skeletons')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('skeleton')
        .doUpdateSet((eb) => ({ names: eb('username_skeletons.names', '+', 1) }))
        .where((eb) =>
          eb.or([
            eb('username_skeletons.user_id', '=', id),
            eb.and([eb('username_skeletons.user_id', 'is', null), eb('excluded.user_id', 'is', null)]),
          ]),
        ),
    )
    .returning('skeleton')
    .executeTakeFirst();
  if (!claimed) throw looksTaken();
}

/** Gives the skeleton of a name of the account back. It is free again when no other name has it. */
export async function releaseSkeleton(db: Db, { id, username }: Named): Promise<void> {
  const released = await db
    .updateTable('username_skeletons')
    .set((eb) => ({ names: eb('names', '-', 1) }))
    .where('skeleton', '=', skeletonOf(username))
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', id)]))
    .returning(['skeleton', 'names'])
    .executeTakeFirst();
  if (released?.names !== 0) return;
  await db.deleteFrom('username_skeletons').where('skeleton', '=', released.skeleton).execute();
}
