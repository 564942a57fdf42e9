import type { LockedItem } from '../content/change.ts';
import { type OnlyIf, orWeakened, requireState } from '../content/precondition.ts';
import { Failure } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import type { Db } from '../store/tables.ts';
import type { SavedDraft } from './find.ts';

/** A saving of a draft, as an entity tag names it. */
export interface DraftState {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly isWeak: boolean;
}

/** What the If-Match of a request names: states of the item, and of its draft. Undefined where any will do. */
export interface DraftOnlyIf {
  readonly item: OnlyIf | undefined;
  readonly draft: readonly DraftState[] | undefined;
  /** What If-None-Match names, where the request takes it; '*' is any draft. */
  readonly noneOf?: '*' | readonly DraftState[] | undefined;
}

const GONE =
  'There is no draft any more: it was published or deleted. Read the item, and begin a new draft with its ETag.';

/** The service makes a version of a draft without a saving: `at` and `by` of the failure are those of the last one. */
const NO_SAVING =
  'The draft has changed since it was last saved, because a label was renamed or its time has passed';

/**
 * The rule of If-Match and If-None-Match. Where there is no draft yet, If-Match names the item over which the draft is
 * begun, so that two editors do not begin one at once. A weak tag counts for If-None-Match only. Asked inside the write
 * that has locked the item. Fails with `version_conflict`.
 */
export async function requireDraftState(
  db: Db,
  item: LockedItem,
  draft: SavedDraft | undefined,
  onlyIf: DraftOnlyIf,
): Promise<void> {
  if (!draft) return requireState(db, item, onlyIf.item, onlyIf.draft?.length ? GONE : undefined);
  const isThis = ({ version, savedAt }: DraftState) =>
    version === draft.version && savedAt === draft.saved_at;
  const { draft: states, noneOf = [] } = onlyIf;
  const isIn = states === undefined || states.some((state) => isThis(state) && !state.isWeak);
  const isUnwanted = noneOf === '*' || noneOf.some(isThis);
  if (isIn && !isUnwanted) return;
  const by = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', draft.saved_by)
    .executeTakeFirstOrThrow();
  const there = `This item has a draft already: it is at version ${draft.version}. Read it, and send your change with its ETag.`;
  const isSameSaving = states?.some(({ savedAt }) => savedAt === draft.saved_at);
  const what = isSameSaving ? NO_SAVING : 'The draft was saved meanwhile';
  const changed = `${what}: it is at version ${draft.version}. Read it again, and send your change with its new ETag.`;
  throw new Failure({
    error: 'version_conflict',
    message: isIn ? there : orWeakened(states ?? [], changed),
    more: { version: draft.version, at: isoTime(draft.saved_at), by },
  });
}

/**
 * The rule of a draft that replaces what is published: the item is as it was when the draft was begun, or its editor names
 * the version that it is at. Fails with `version_conflict`.
 */
export async function requireOver(
  db: Db,
  item: LockedItem,
  draft: SavedDraft,
  named: number | undefined,
): Promise<void> {
  const begun = { version: draft.over_version };
  const message = `The item was changed since this draft was begun: it is at version ${item.version}. Compare the two, and send this again with "over_version=${item.version}".`;
  await requireState(db, item, named === undefined ? [begun] : [begun, { version: named }], message);
}
