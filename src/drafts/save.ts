import { lockChangeable } from '../content/change.ts';
import { requireState } from '../content/precondition.ts';
import { requireScheduleBeside } from '../content/schedule.ts';
import { storedAs } from '../content/stored.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Db } from '../store/tables.ts';
import {
  columnsOf,
  type Draft,
  type DraftColumns,
  draftOf,
  requirePublished,
  type SavedDraft,
  savedDraft,
} from './find.ts';
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

/**
 * The draft, the bytes that the write added to what the author of the item has stored (below 0 for fewer), and whether
 * it wrote.
 */
type Saved = Draft & { readonly authorId: number; readonly added: number; readonly isWritten: boolean };

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
    const isWritten = await putDraft(db, id, draft, {
      over_version,
      written,
      publish_at,
      saved_at: now,
      saved_by: caller.userId,
    });
    const added = storedAs(Buffer.byteLength(written)) - (draft ? bytesOf(draft) : 0);
    return { ...(await draftOf(db, id)), authorId: item.author_id, added, isWritten };
  },
);

/** Gives an item that the write has locked a draft, or its draft a new state. False where it has that state already. */
export async function putDraft(
  db: Db,
  id: number,
  before: SavedDraft | undefined,
  next: Omit<SavedDraft, 'content_id' | 'version'>,
): Promise<boolean> {
  const { written, publish_at, over_version } = next;
  if (before?.written === written && before.publish_at === publish_at && before.over_version === over_version)
    return false;
  const state = { ...next, version: (before?.version ?? 0) + 1 };
  await db
    .insertInto('content_drafts')
    .values({ content_id: id, ...state })
    .onConflict((conflict) => conflict.column('content_id').doUpdateSet(state))
    .execute();
  return true;
}

/** What a draft counts as. */
export function bytesOf({ written }: { readonly written: string }): number {
  return storedAs(Buffer.byteLength(written));
}
