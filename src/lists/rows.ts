import type { ListedRow } from '../content/contract.ts';
import { shareOf } from '../content/excerpt.ts';
import { fromVisible, SHORT_COLUMNS } from '../content/find.ts';
import { isCut, textWithin } from '../content/text-within.ts';
import { byReader, type Reader } from '../content/visibility.ts';
import type { Seek } from '../store/counts.ts';
import { readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

/** The columns of a record in a list, without its texts. */
const LISTED = [...SHORT_COLUMNS, 'users.username as author_name'] as const;

type RowsFrom = Seek & { readonly limit: number; readonly share: number };

/** What the reader may see, by id from a place on. */
function fromPlace(db: Db, reader: Reader, { id, limit, offset }: RowsFrom) {
  return fromVisible(db, reader)
    .where('content.id', '>=', id)
    .orderBy('content.id')
    .limit(atMost(limit))
    .offset(offset);
}

const listed = byReader((reader) =>
  statement((db, from: RowsFrom) =>
    fromPlace(db, reader, from).select([...LISTED, ...textWithin(from.share)]),
  ),
);

/** Reads the states of the items that a reader may see, from a place on. */
export const states = byReader((reader) =>
  statement((db, from: RowsFrom) =>
    fromPlace(db, reader, from).select([
      'content.id',
      'content.version',
      'content.updated_at',
      'content.slug',
      'content.author_id',
      'content.visibility',
      'users.username as author_name',
      isCut(from.share),
    ]),
  ),
);

/** `limit` visible items from an id on, with their texts as a page of this size shows them. */
export const readListed = readOperation(
  'content.read_listed',
  (
    db,
    { id, limit, perPage, reader }: { id: number; limit: number; perPage: number; reader: Reader },
  ): Promise<ListedRow[]> => listed[reader](db, { id, offset: 0, limit, share: shareOf(perPage) }),
);

/** The items with these ids, by id, as a page with this share shows them. */
export function rowsWith(
  db: Db,
  ids: readonly number[],
  share: number,
  reader: Reader,
): Promise<ListedRow[]> {
  return fromVisible(db, reader)
    .select([...LISTED, ...textWithin(share)])
    .where('content.id', 'in', ids)
    .orderBy('content.id')
    .execute();
}
