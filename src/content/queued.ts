import { sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import type { Db } from '../store/tables.ts';

/** A change in the queue of the index. */
export interface Queued {
  readonly place: number;
  readonly id: number;
  /** Of its text; 0 where the item is hidden or gone by now. */
  readonly bytes: number;
}

/** How many of the items have so many bytes of searched text together: one at least, however long it is. */
export function itemsThatFit(items: readonly { readonly bytes: number }[], most: number): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += Math.min(item.bytes, SEARCHED_UNITS);
    return bytes > most;
  });
  return tooMany === -1 ? items.length : Math.max(1, tooMany);
}

/** The items whose words may be in the index, with the text that is searched. */
export function visibleItems(db: Db, ids: readonly number[]) {
  return db
    .selectFrom('visible_content')
    .select(['id', 'title', sql<string>`substr(content, 1, ${SEARCHED_UNITS})`.as('content')])
    .where('id', 'in', ids);
}
