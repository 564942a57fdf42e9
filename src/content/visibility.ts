import type { Db } from '../store/tables.ts';

/** Who may see an item that is not hidden: everybody, or only accounts. */
export const VISIBILITIES = ['public', 'members'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Only its author, editors and admins know of a draft. */
export const STATUSES = ['published', 'draft'] as const;
export type Status = (typeof STATUSES)[number];

/** Who reads: anyone with an account, or a stranger. */
export type Reader = 'account' | 'stranger';

export function readerOf({ isSignedIn }: { readonly isSignedIn: boolean }): Reader {
  return isSignedIn ? 'account' : 'stranger';
}

/** What each reader may see. Code that shows items reads one of these views, never `content`. */
export const SHOWN = { account: 'visible_content', stranger: 'public_content' } as const satisfies Record<
  Reader,
  string
>;

/** The same for each reader: a statement is prepared once for each of the views. */
export function byReader<Made>(make: (reader: Reader) => Made): Readonly<Record<Reader, Made>> {
  return { account: make('account'), stranger: make('stranger') };
}

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
