import type { LockedItem } from '../../content/change.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { savedDraft } from '../../drafts/find.ts';
import { putDraft } from '../../drafts/save.ts';
import type { Db } from '../../store/tables.ts';
import { accountIdOf, noAccount } from './import-account.ts';
import type { PortableDraft } from './portable-item.ts';

const OF_DRAFT = 'draft is what a published item will be; this item is a draft itself.';

type Item = Pick<LockedItem, 'id' | 'author_id' | 'version' | 'status'>;

/**
 * Saves what was read of the draft beside an item that the write has locked. A draft that was saved here later stays,
 * because no earlier version of a draft is kept. Returns whether it changed anything. Fails with `validation_failed` for
 * an item that is a draft itself, and with `not_found` where nobody has the name of who saved the draft.
 */
export async function importDraft(db: Db, item: Item, draft: PortableDraft, now: number): Promise<boolean> {
  const { id, author_id, version, status } = item;
  if (status === 'draft') throw invalid([{ field: 'draft', rule: 'published', message: OF_DRAFT }]);
  const { columns, publishAt: publish_at, savedAt: saved_at = now, savedBy, isOverEarlier } = draft;
  const before = await savedDraft(db, id);
  if (before && before.saved_at > saved_at) return false;
  const saved_by = savedBy === undefined ? author_id : await accountIdOf(db, savedBy, now);
  if (saved_by === undefined) throw new Failure({ error: 'not_found', message: noAccount(savedBy ?? '') });
  return putDraft(db, id, before, {
    over_version: isOverEarlier ? Math.max(1, version - 1) : version,
    written: JSON.stringify(columns),
    publish_at,
    saved_at,
    saved_by,
  });
}
