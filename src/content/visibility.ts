import type { Db } from '../store/tables.ts';
import type { Status } from './fields.ts';

/** All reasons why an item may be hidden. */
interface Reasons {
  /** When it was moved to the trash, in milliseconds since 1970; null where it is not there. */
  readonly trashed_at: number | null;
  readonly status: Status;
}

/**
 * The columns to set where one of the reasons changes: all of them, and `visible` as it follows. A writer has to name
 * every reason, so a new one cannot be forgotten. The constraints of the table refuse a visible item that has a reason.
 */
export function withVisible<Given extends Reasons>(reasons: Given): Given & { readonly visible: 0 | 1 } {
  const isHidden = reasons.trashed_at !== null || reasons.status === 'draft';
  return { ...reasons, visible: isHidden ? 0 : 1 };
}

/**
 * What everybody may see, and drafts. Whoever reads a draft asks whether the caller may change it (`requireMayChange`),
 * because nobody else may know of it.
 */
export function selectWithDrafts(db: Db) {
  return db
    .selectFrom('content')
    .where('content.trashed_at', 'is', null)
    .where((eb) => eb.or([eb('content.visible', '=', 1), eb('content.status', '=', 'draft')]));
}
