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
        .doUpdateSet({ user_id: null })
        .where('username_skeletons.user_id', 'is', null)
        .where('excluded.user_id', 'is', null),
    )
    .returning('skeleton')
    .executeTakeFirst();
  if (!claimed) throw taken('username', 'This user name looks like one that is taken; choose another.');
}
