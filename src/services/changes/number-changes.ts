import { readOperation, writeOperation } from '../../store/operation.ts';
import { statement } from '../../store/statement.ts';
import { numberOn } from './number.ts';

const firstWaiting = statement((db) =>
  db.selectFrom('unnumbered_changes').select('place').orderBy('place').limit(1),
);

export const hasUnnumbered = readOperation(
  'changes.has_unnumbered',
  async (db, _: null): Promise<boolean> => (await firstWaiting(db, {})).length > 0,
);

/**
 * Gives numbers to committed changes, at most `limit`, in the order of their places, and tells every instance. True
 * while more may wait. Only one instance at a time.
 *
 * A number is on disk before anybody reads it. Otherwise a crash of the server could take it back, and give it to another
 * change, which a reader that knows the number would never get.
 *
 * The changes of one item stay in order: a transaction takes the place for its change while it holds the lock of the
 * item. So places follow the order of the commits, and who sees a change also sees those before it.
 */
export const numberChanges = writeOperation(
  'changes.number',
  async (db, { limit }: { limit: number }, engine): Promise<boolean> => {
    if (!(await engine.tryLock(db, 'numbering changes'))) return true;
    const { count, last } = await numberOn(engine)(db, limit);
    if (count > 0) await engine.announce(db, { topic: 'changes', key: last });
    return count === limit;
  },
  { isBackground: true },
);
