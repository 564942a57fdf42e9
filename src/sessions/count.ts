import { countRows } from '../store/count-rows.ts';
import { readOperation } from '../store/operation.ts';

/** Counting ends here, so that it takes some milliseconds at most. */
const MOST = 100_000;

/** Sessions that nobody has ended. Those that have expired count until they are removed. */
export const countSessions = readOperation(
  'sessions.count',
  async (db): Promise<number> => {
    const some = db.selectFrom('sessions').select('user_id').where('ended_at', 'is', null).limit(MOST);
    return countRows(db, some);
  },
  () => true,
);
