import { selectChangeable } from '../content/draft-items.ts';
import { ITEM_BYTES } from '../content/stored.ts';
import type { Caller } from '../domain/account.ts';
import { readOperation } from '../store/operation.ts';

interface SizesRequest extends Pick<Caller, 'userId'> {
  readonly ids: readonly number[];
}

/** The bytes of the texts of items, by their ids, of which there is one at least. It lacks the items that the account may not change. */
export const sizesOfItems = readOperation(
  'bulk.sizes',
  async (db, { ids, ...reader }: SizesRequest): Promise<ReadonlyMap<number, number>> => {
    const rows = await selectChangeable(db, reader)
      .select(['content.id', ITEM_BYTES.as('bytes')])
      .where('content.id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  },
);
