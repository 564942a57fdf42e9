import { sql } from 'kysely';
import type { ListedRow } from '../content/contract.ts';
import { shareOf } from '../content/excerpt.ts';
import { fromVisible, HAS_SLUG, IS_PUBLIC, SHORT_COLUMNS } from '../content/find.ts';
import { isCut, textWithin } from '../content/text-within.ts';
import { byReader, type Reader, type Visibility } from '../content/visibility.ts';
import type { Seek } from '../store/counts.ts';
import { readOperation } from '../store/operation.ts';
import { atMost, statement } from '../store/statement.ts';
import type { Db } from '../store/tables.ts';

/** The columns of a record in a list, without its texts. */
export const LISTED = [...SHORT_COLUMNS, 'users.username as author_name'] as const;

type RowsFrom = Seek & {
  readonly limit: number;
  readonly share: number;
  readonly slugs: 0 | 1;
};

/** Reads the states of the items that a reader may see, by id from a place on. Where `slugs` is 0, each slug is ''. */
export const states = byReader((reader) =>
  statement((db, { id, limit, offset, share, slugs }: RowsFrom) =>
    fromVisible(db, reader)
      .select([
        'content.id',
        'content.version',
        'content.updated_at',
        sql<string | null>`case when ${slugs} = 1 then content.slug else ${HAS_SLUG} end`.as('slug'),
        'content.author_id',
        sql<Visibility>`case when ${IS_PUBLIC} then 'public' else 'members' end`.as('visibility'),
        'users.username as author_name',
        isCut(share),
      ])
      .where('content.id', '>=', id)
      .orderBy('content.id')
      .limit(atMost(limit))
      .offset(offset),
  ),
);

interface Listed {
  readonly ids: readonly number[];
  readonly perPage: number;
  readonly reader: Reader;
}

/** Those of these items that the reader may see now, with their texts as a page of this size shows them. */
export const readListed = readOperation(
  'content.read_listed',
  (db, { ids, perPage, reader }: Listed): Promise<ListedRow[]> => rowsWith(db, ids, shareOf(perPage), reader),
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
