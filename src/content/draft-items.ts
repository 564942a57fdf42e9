import { type ExpressionBuilder, sql } from 'kysely';
import { type Caller, MODERATORS } from '../domain/account.ts';
import { notFound } from '../domain/failure.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { TooLong } from '../domain/too-long.ts';
import { inTimeOn } from '../store/deadline.ts';
import { readOperation } from '../store/operation.ts';
import { countThenPage } from '../store/pages.ts';
import { statement } from '../store/statement.ts';
import type { Db, Tables } from '../store/tables.ts';
import type { ContentRow, ListedRow } from './contract.ts';
import { shareOf } from './excerpt.ts';
import { CONTENT_BYTES, RECORD_COLUMNS, SHORT_COLUMNS } from './find.ts';
import { textWithin } from './text-within.ts';
import { selectWithDrafts } from './visibility.ts';

type Reader = Pick<Caller, 'userId'>;

/** True of the items that an account may change: its own, and those of all authors for editors and admins. */
export function isChangeableBy({ userId }: Reader) {
  return (eb: ExpressionBuilder<Tables, 'content'>) =>
    eb.or([
      eb('content.author_id', '=', userId),
      eb.exists(
        eb
          .selectFrom('users as reader')
          .select('reader.id')
          .where('reader.id', '=', userId)
          .where('reader.role', 'in', MODERATORS),
      ),
    ]);
}

/** Drafts and other items that an account may change. */
export function selectChangeable(db: Db, reader: Reader) {
  return selectWithDrafts(db).where(isChangeableBy(reader));
}

/** An item, and the account that asks for its size. */
export type SizeRequest = Reader & { readonly id: number };

const sizeById = statement((db, input: SizeRequest) =>
  selectChangeable(db, input)
    .select(['content.author_id', CONTENT_BYTES.as('bytes')])
    .where('content.id', '=', input.id),
);

export interface ContentSize {
  readonly author_id: number;
  readonly bytes: number;
}

/**
 * The bytes of the content of an item, and its author; undefined where there is no such item. It is undefined too where the
 * account may not change the item: what follows from its size would tell of a draft.
 */
export const sizeOfContent = readOperation(
  'content.size',
  async (db, request: SizeRequest): Promise<ContentSize | undefined> => (await sizeById(db, request))[0],
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

type DraftsRequest = PageRequest & Reader & { readonly author?: number | undefined };

/** A page of drafts by their ids. The texts are as in a list of content. */
export const listDraftItems = readOperation(
  'content.list_drafts',
  async (db, { userId, author, ...request }: DraftsRequest, engine): Promise<Page<ListedRow>> => {
    const matching = selectChangeable(db, { userId })
      .where('content.status', '=', 'draft')
      .where(inTimeOn(engine, sql`content.id`))
      .$if(author !== undefined, (query) => query.where('content.author_id', '=', author ?? 0));
    return countThenPage(request, matching, async (offset) => {
      const ids = matching.select('content.id').orderBy('content.id').limit(request.per_page).offset(offset);
      return db
        .selectFrom('content')
        .innerJoin('users', 'users.id', 'content.author_id')
        .select([...SHORT_COLUMNS, 'users.username as author_name', ...textWithin(shareOf(request.per_page))])
        .where(
          'content.id',
          'in',
          (await ids.execute()).map(({ id }) => id),
        )
        .orderBy('content.id')
        .execute();
    });
  },
  () => true,
);
