import { requireFewer } from '../content/schedule.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/**
 * Asked inside the write that adds one more draft with a time beside an item of the author, outside of the trash: an item
 * that has one is visible there. Fails with `limit_reached`.
 */
export async function requireScheduleBeside(db: Db, engine: Engine, authorId: number): Promise<void> {
  await engine.lock(db, `scheduled drafts of ${authorId}`);
  const scheduled = db
    .selectFrom('content_drafts as draft')
    .innerJoin('content', 'content.id', 'draft.content_id')
    .select('draft.content_id')
    .where('draft.publish_at', 'is not', null)
    .where('content.author_id', '=', authorId)
    .where('content.visible', '=', 1);
  await requireFewer(scheduled);
}
