import type { Caller } from '../domain/account.ts';
import { notFound } from '../domain/failure.ts';
import type { TooLong } from '../domain/too-long.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';
import { isChangeableBy } from './change.ts';
import type { ContentRow } from './contract.ts';
import { CONTENT_BYTES, RECORD_COLUMNS } from './find.ts';
import { ITEM_BYTES } from './stored.ts';
import { selectWithDrafts } from './visibility.ts';

type Reader = Pick<Caller, 'userId'>;

/** Drafts and other items that an account may change. */
export function selectChangeable(db: Db, reader: Reader) {
  return selectWithDrafts(db).where(isChangeableBy(reader));
}

/** An item, and the account that asks for its size. */
export type SizeRequest = Reader & { readonly id: number };

const sizeById = statement((db, input: SizeRequest) =>
  selectChangeable(db, input)
    .select(['content.author_id', CONTENT_BYTES.as('bytes'), ITEM_BYTES.as('all')])
    .where('content.id', '=', input.id),
);

export interface ContentSize {
  readonly author_id: number;
  readonly bytes: number;
}

/** The same, and the bytes of all texts of the item. */
interface ItemSize extends ContentSize {
  readonly all: number;
}

/**
 * The bytes of the content of an item, and its author; undefined where there is no such item. It is undefined too where the
 * account may not change the item: what follows from its size would tell of a draft.
 */
export const sizeOfContent = readOperation(
  'content.size',
  async (db, request: SizeRequest): Promise<ItemSize | undefined> => (await sizeById(db, request))[0],
);

type DraftRequest = Reader & { readonly id: number; readonly most: number };

/**
 * A draft by its id, or what was published since the reader of other items found none. Of one with more than `most` bytes
 * of text only these bytes. Fails with `not_found`.
 */
export const findDraftItem = readOperation(
  'content.find_draft',
  async (db, { id, most, ...reader }: DraftRequest): Promise<{ row: ContentRow } | TooLong> => {
    const items = selectChangeable(db, reader)
      .innerJoin('users', 'users.id', 'content.author_id')
      .where('content.id', '=', id);
    const row = await items.where(CONTENT_BYTES, '<=', most).select(RECORD_COLUMNS).executeTakeFirst();
    if (row) return { row };
    const size = await items.select(CONTENT_BYTES.as('bytes')).executeTakeFirst();
    if (!size) throw notFound('content item');
    return size;
  },
);
