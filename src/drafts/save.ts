import { lockChangeable } from '../content/change.ts';
import { requireState } from '../content/precondition.ts';
import { requireScheduleBeside } from '../content/schedule.ts';
import { storedAs } from '../content/stored.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { columnsOf, type Draft, type DraftColumns, draftOf, requirePublished, savedDraft } from './find.ts';
import { type DraftOnlyIf, requireDraftState, requireOver } from './precondition.ts';

interface Saving extends CallerInput {
  readonly id: number;
  readonly columns: DraftColumns;
  /** Milliseconds since 1970, or null for no time; undefined leaves the time as it is. */
  readonly publishAt: number | null | undefined;
  readonly onlyIf: DraftOnlyIf;
  /** The version of the item that the draft is over from now on, though it was begun over an earlier one. */
  readonly over: number | undefined;
}

/** The draft, and the bytes that the write added to what the author of the item has stored (below 0 for fewer). */
type Saved = Draft & { readonly authorId: number; readonly added: number };

/**
 * Gives the draft of a published item these columns, and begins one where there is none. A saving that changes nothing
 * makes no version of the draft. A draft gets no time if it could not be published then. Fails with `not_found`, `forbidden`, `version_conflict` or `limit_reached`.
 */
export const saveDraft = callerWrite(
  'drafts.save',
  async (db, { id, columns, publishAt, onlyIf, over, now }: Saving, caller, engine): Promise<Saved> => {
    const item = await lockChangeable(db, id, caller);
    requirePublished(item);
    const draft = await savedDraft(db, id);
    await requireDraftState(db, item, draft, onlyIf);
    const isOver = over !== undefined || publishAt != null;
    if (draft && isOver) await requireOver(db, item, draft, over);
    if (!draft && over !== undefined) await requireState(db, item, [{ version: over }]);
    const over_version = !draft || isOver ? item.version : draft.over_version;
    const written = JSON.stringify({ ...(draft && columnsOf(draft)), ...columns });
    const publish_at = publishAt === undefined ? (draft?.publish_at ?? null) : publishAt;
    if (publish_at !== null && draft?.publish_at == null)
      await requireScheduleBeside(db, engine, item.author_id);
    const isSame =
      draft?.written === written && draft.publish_at === publish_at && draft.over_version === over_version;
    if (!isSame) {
      const state = {
        version: (draft?.version ?? 0) + 1,
        over_version,
        written,
        publish_at,
        saved_at: now,
        saved_by: caller.userId,
      };
      await db
        .insertInto('content_drafts')
        .values({ content_id: id, ...state })
        .onConflict((conflict) => conflict.column('content_id').doUpdateSet(state))
        .execute();
    }
    const added = storedAs(Buffer.byteLength(written)) - (draft ? bytesOf(draft) : 0);
    return { ...(await draftOf(db, id)), authorId: item.author_id, added };
  },
);

/** What a draft counts as. */
export function bytesOf({ written }: { readonly written: string }): number {
  return storedAs(Buffer.byteLength(written));
}
