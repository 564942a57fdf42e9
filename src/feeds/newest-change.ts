import { readNewest } from '../services/changes/read.ts';
import { firstUnnamed } from '../slugs/name-items.ts';
import { readOperation } from '../store/operation.ts';

/**
 * What a sitemap follows. The newest change has its time in addition to its number, because an older copy of the database
 * that was put back reaches the same number. An item that is older than slugs gets its slug without a change.
 */
export const newestChange = readOperation('feeds.newest_change', async (db, _: null, engine) => {
  const [newest] = await readNewest.run(db, { limit: 1 }, engine);
  return [newest?.number, newest?.at, await firstUnnamed.run(db, null, engine)];
});
