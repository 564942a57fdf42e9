import { invalid, limitReached } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import type { Engine } from '../store/operation.ts';
import { hasRows } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import type { Status } from './visibility.ts';

/**
 * Fails with `validation_failed` for a time of an item that is published. `before` is the status that a change finds: what
 * is published already must not go offline to be changed at a time.
 */
export function requireDraftForTime(
  status: Status,
  publishAt: number | null | undefined,
  before: Status = 'draft',
): void {
  if (publishAt == null || status === 'draft') return;
  const message =
    before === 'draft'
      ? 'publish_at is for a draft only: send "status": "draft" with it.'
      : 'publish_at is for a draft only; to change a published item at a time, save a draft beside it (PUT /api/content/{id}/draft).';
  throw invalid([{ field: 'publish_at', rule: 'draft', message }]);
}

/**
 * Asked inside the write that schedules one more item of the author, or takes one out of the trash. What is in the trash
 * does not count: its time cannot come. Fails with `limit_reached`.
 */
export async function requireScheduleOfItem(db: Db, engine: Engine, authorId: number): Promise<void> {
  await engine.lock(db, `scheduled drafts of ${authorId}`);
  const scheduled = db
    .selectFrom('content')
    .select('id')
    .where('author_id', '=', authorId)
    .where('publish_at', 'is not', null)
    .where('trashed_at', 'is', null);
  await requireFewer(scheduled);
}

/** The same for one more draft beside an item of the author. An item that has one is visible unless it is in the trash. */
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

async function requireFewer(scheduled: Parameters<typeof hasRows>[0]): Promise<void> {
  if (!(await hasRows(scheduled, ROW_LIMITS.scheduledDrafts))) return;
  throw limitReached(
    `${ROW_LIMITS.scheduledDrafts} drafts of this author wait for their time, which is all that may; publish some, or take the time of some away.`,
  );
}
