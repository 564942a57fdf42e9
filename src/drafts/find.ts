import { type ContentSize, type SizeRequest, selectChangeable } from '../content/draft-items.ts';
import { CONTENT_FIELDS, type ContentFields } from '../content/fields.ts';
import { type HistoryRequest, requireHistory } from '../content/history.ts';
import type { Status } from '../content/visibility.ts';
import { selectWithDrafts } from '../content/visibility.ts';
import { Failure, notFound } from '../domain/failure.ts';
import type { RowFor } from '../store/field-types.ts';
import { columnsFor } from '../store/fields.ts';
import { readOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';

/** The draft of an item, as it is in its table. */
export type SavedDraft = Tables['content_drafts'];
type Row = RowFor<ContentFields, 'history'>;
/** The columns that a draft has otherwise than its item. */
export type DraftColumns = Partial<Row>;

/** What tells each look of a draft from every other, without its text. */
export interface TaggedDraft extends Pick<SavedDraft, 'version' | 'over_version' | 'saved_at' | 'saved_by'> {
  readonly saver_name: string;
  readonly item_version: number;
  /** Milliseconds since 1970. */
  readonly item_updated_at: number;
}

export interface Draft extends TaggedDraft {
  readonly id: number;
  /** Milliseconds since 1970; null where no time was set. */
  readonly publish_at: number | null;
  /** What the item would have. */
  readonly row: Row;
}

const COLUMNS = columnsFor(CONTENT_FIELDS, 'history');

/** Fails with `not_found` for an item that is not published: it is a draft itself. */
export function requirePublished({ status }: { readonly status: Status }): void {
  if (status === 'published') return;
  const message =
    'This item is a draft itself; change it by PUT /api/content/{id}, and delete it as any item.';
  throw new Failure({ error: 'not_found', message });
}

/** The failure `not_found` of an item that has no draft beside it. */
export function noDraft(): Failure {
  return notFound('draft of this content item');
}

/** The draft of an item that the write has locked. */
export function savedDraft(db: Db, id: number): Promise<SavedDraft | undefined> {
  return db.selectFrom('content_drafts').selectAll().where('content_id', '=', id).executeTakeFirst();
}

/** The columns of the item that the draft would set, which are stored as JSON. */
export function columnsOf({ written }: Pick<SavedDraft, 'written'>): DraftColumns {
  return JSON.parse(written);
}

/** The state of the draft beside an item. Fails with `not_found` or `forbidden`. */
export const findDraftState = readOperation(
  'drafts.find_state',
  async (db, request: HistoryRequest): Promise<TaggedDraft> => {
    requirePublished(await requireHistory(db, request));
    const state = await selectState(db, request.id).executeTakeFirst();
    if (!state) throw noDraft();
    return state;
  },
);

/** The draft itself. Fails with `not_found` or `forbidden`. */
export const findDraft = readOperation('drafts.find', async (db, request: HistoryRequest): Promise<Draft> => {
  requirePublished(await requireHistory(db, request));
  return draftOf(db, request.id);
});

/** The same for a caller who may change the item. Fails with `not_found`. */
export async function draftOf(db: Db, id: number): Promise<Draft> {
  const draft = await selectState(db, id).select(['draft.written', 'draft.publish_at']).executeTakeFirst();
  if (!draft) throw noDraft();
  const { written, ...state } = draft;
  const item = await selectWithDrafts(db).select(COLUMNS).where('id', '=', id).executeTakeFirst();
  // A short read has no snapshot on PostgreSQL, so the item may be gone since. A newer item has an older tag, which no
  // later answer has again.
  if (!item) throw noDraft();
  return { id, ...state, row: { ...item, ...columnsOf({ written }) } };
}

function selectState(db: Db, id: number) {
  return db
    .selectFrom('content_drafts as draft')
    .innerJoin('users', 'users.id', 'draft.saved_by')
    .innerJoin('content', 'content.id', 'draft.content_id')
    .select(['draft.version', 'draft.over_version', 'draft.saved_at', 'draft.saved_by'])
    .select(['users.username as saver_name'])
    .select(['content.version as item_version', 'content.updated_at as item_updated_at'])
    .where('draft.content_id', '=', id);
}

export interface DraftSize {
  readonly written: number;
  readonly text: number;
}

/**
 * The bytes of a draft, if there is one, and of the text of its item; 0 where there is no item that the account may change.
 */
export const sizeOfDraft = readOperation(
  'drafts.size',
  async (db, request: SizeRequest): Promise<DraftSize> => {
    const sizes = await selectChangeable(db, request)
      .leftJoin('content_drafts as draft', 'draft.content_id', 'content.id')
      .select((eb) => [
        eb.fn<number | null>('octet_length', ['draft.written']).as('written'),
        eb.fn<number>('octet_length', ['content.content']).as('text'),
      ])
      .where('content.id', '=', request.id)
      .executeTakeFirst();
    return { written: sizes?.written ?? 0, text: sizes?.text ?? 0 };
  },
);

/**
 * The author of an item, and the bytes of the text that its draft has, which is that of the item where the draft has no
 * other; undefined where there is no item that the account may change. Asked only for a full account, because it reads
 * the whole draft.
 */
export const sizeOfDraftText = readOperation(
  'drafts.size_of_text',
  async (db, request: SizeRequest): Promise<ContentSize | undefined> => {
    const item = await selectChangeable(db, request)
      .leftJoin('content_drafts as draft', 'draft.content_id', 'content.id')
      .select((eb) => [
        'content.author_id',
        'draft.written',
        eb.fn<number>('octet_length', ['content.content']).as('bytes'),
      ])
      .where('content.id', '=', request.id)
      .executeTakeFirst();
    if (!item) return undefined;
    const { author_id, written, bytes } = item;
    const { content } = written === null ? {} : columnsOf({ written });
    return { author_id, bytes: content === undefined ? bytes : Buffer.byteLength(content) };
  },
);
