import { taken } from '../domain/failure.ts';
import { skeletonOf } from '../domain/skeleton.ts';
import { isAscii } from '../domain/text.ts';
import type { Db } from '../store/tables.ts';

/**
 * Takes what the name of a new account looks like. Names of ASCII share a skeleton with one another; any other name
 * has its own. Fails with `taken` when a name that looks the same has it (decisions 0045).
 */
export async function claimSkeleton(
  db: Db,
  { id, username }: { readonly id: number; readonly username: string },
): Promise<void> {
  const row = { skeleton: skeletonOf(username), user_id: isAscii(username) ? null : id };
  // The unique key lets one of two writes in. The other waits for its end, and goes on only if both names may share.
  const claimed = await db
    .insertInto('username_skeletons')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('skeleton')
        .doUpdateSet((eb) => ({ names: eb('username_skeletons.names', '+', 1) }))
        .where('username_skeletons.user_id', 'is', null)
        .where('excluded.user_id', 'is', null),
    )
    .returning('skeleton')
    .executeTakeFirst();
  if (!claimed) throw taken('username', 'This user name looks like one that is taken; choose another.');
}

/** Gives up what the name of an account looks like. It is free again when no other name of ASCII shares it. */
export async function releaseSkeleton(
  db: Db,
  { id, username }: { readonly id: number; readonly username: string },
): Promise<void> {
  const released = await db
    .updateTable('username_skeletons')
    .set((eb) => ({ names: eb('names', '-', 1) }))
    .where('skeleton', '=', skeletonOf(username))
    .where('user_id', isAscii(username) ? 'is' : '=', isAscii(username) ? null : id)
    .returning(['skeleton', 'names'])
    .executeTakeFirst();
  if (released?.names !== 0) return;
  await db.deleteFrom('username_skeletons').where('skeleton', '=', released.skeleton).execute();
}
