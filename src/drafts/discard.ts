import { lockChangeable } from '../content/change.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import { noDraft, requirePublished, savedDraft } from './find.ts';
import { type DraftOnlyIf, requireDraftState } from './precondition.ts';
import { bytesOf } from './save.ts';

interface Discarding extends CallerInput {
  readonly id: number;
  readonly onlyIf: DraftOnlyIf;
}

/** Deletes the draft of an item, which stays as it is. Fails with `not_found`, `forbidden` or `version_conflict`. */
export const discardDraft = callerWrite(
  'drafts.discard',
  async (db, { id, onlyIf }: Discarding, caller): Promise<{ authorId: number; added: number }> => {
    const item = await lockChangeable(db, id, caller);
    requirePublished(item);
    const draft = await savedDraft(db, id);
    if (!draft) throw noDraft();
    await requireDraftState(db, item, draft, onlyIf);
    await db.deleteFrom('content_drafts').where('content_id', '=', id).execute();
    return { authorId: item.author_id, added: -bytesOf(draft) };
  },
);
