import { invalid, limitReached } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import type { Engine } from '../store/operation.ts';
import { hasRows } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';
import type { Status } from './visibility.ts';

/** Fails with `validation_failed` for a time of a published item. `before` is the status that a change finds. */
export function requireDraftForTime(status: Status, time?: number | null, before: Status = 'draft'): void {
  if (time == null || status === 'draft') return;
  const message =
    before === 'draft'
      ? 'publish_at is for a draft only: send "status": "draft" with it.'
      : 'publish_at is for a draft only; to change a published item at a time, save a draft beside it (PUT /api/content/{id}/draft).';
  throw invalid([{ field: 'publish_at', rule: 'draft', message }]);
}

/** Asked inside the write that adds one to the author's that wait, outside of the trash. Fails with `limit_reached`. */
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

/** The same for a draft beside an item, which is visible unless it is in the trash. */
export async function requireScheduleBeside(db: Db, engine: Engine, authorId: number): Promise<void> {
  await engine.lock(db, `scheduled drafts of ${authorId}`);
  const scheduled = db
    .selectFrom('content_drafts as draft')
    // SQLite reads a cross join from left to right: fewer drafts wait than an author may have items.
    .crossJoin('content')
    .select('draft.content_id')
    .where('draft.publish_at', 'is not', null)
    .whereRef('content.id', '=', 'draft.content_id')
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

/** Takes the time of the draft beside an item away where it has passed. That is no saving, so `saved_at` stays. */
export async function dropPassedTimeBeside(db: Db, id: number, now: number): Promise<void> {
  await db
    .updateTable('content_drafts')
    .set((eb) => ({ publish_at: null, version: eb('version', '+', 1) }))
    .where('content_id', '=', id)
    .where('publish_at', '<=', now)
    .execute();
}
