import { type LockedItem, lockChangeable } from '../content/change.ts';
import { changeItem, type Updated } from '../content/change-item.ts';
import type { Past } from '../content/keep-version.ts';
import { pastOf } from '../content/past.ts';
import { requireState } from '../content/precondition.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Engine } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { columnsOf, noDraft, type SavedDraft, savedDraft } from './find.ts';
import { type DraftOnlyIf, requireDraftState, requireOver } from './precondition.ts';
import { bytesOf } from './save.ts';

interface Publishing extends CallerInput {
  readonly id: number;
  readonly onlyIf: DraftOnlyIf;
  /** A version of the item over which the draft may be published, though it was begun over an earlier one. */
  readonly over: number | undefined;
}

/**
 * Publishes a draft: an item that is one, or the draft beside a published item. Fails with `not_found`, `forbidden` or
 * `version_conflict`.
 */
export const publishDraft = callerWrite(
  'drafts.publish',
  async (
    db,
    { id, onlyIf, over, now, past }: Publishing & { readonly past: Past | undefined },
    caller,
    engine,
  ): Promise<Updated> => {
    const item = await lockChangeable(db, id, caller);
    const change = { by: caller.userId, now, past };
    if (item.status === 'draft') {
      await requireState(db, item, onlyIf.item);
      return publishItem(db, engine, item, change);
    }
    const draft = await savedDraft(db, id);
    if (!draft) throw noDraft();
    await requireDraftState(db, item, draft, onlyIf);
    await requireOver(db, item, draft, over);
    return publishBeside(db, engine, item, draft, change);
  },
);

interface Change {
  readonly by: number;
  readonly now: number;
  readonly past: Past | undefined;
}

/** Publishes an item that is a draft, and that the write has locked. */
export function publishItem(db: Db, engine: Engine, item: LockedItem, change: Change): Promise<Updated> {
  return changeItem(db, engine, item, { ...change, columns: { status: 'published', publish_at: null } });
}

/** Publishes the draft beside an item that the write has locked. */
export async function publishBeside(
  db: Db,
  engine: Engine,
  item: LockedItem,
  draft: SavedDraft,
  change: Change,
): Promise<Updated> {
  const row = await changeItem(db, engine, item, {
    ...change,
    columns: columnsOf(draft),
    publishesDraft: true,
  });
  await db.deleteFrom('content_drafts').where('content_id', '=', item.id).execute();
  return { ...row, added: row.added - bytesOf(draft) };
}

/** The same, with the text that is replaced kept in little room. Fails as the write does. */
export async function publish(store: Store, publishing: Publishing): Promise<Updated> {
  const past = await pastOf(store, { id: publishing.id, userId: publishing.caller.userId });
  return store.write(publishDraft, { ...publishing, past });
}
