import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';

const reached = statement((db) => db.selectFrom('content_indexed').select(['labels', 'search']));

/** True for an item so new that the index has not come to it: to read the item itself is all that finds it. */
export async function isNewFor(db: Db, index: 'labels' | 'search', id: number): Promise<boolean> {
  const [last] = await reached(db, {});
  if (!last) throw new Error('The row of content_indexed is missing.');
  return id > last[index];
}
