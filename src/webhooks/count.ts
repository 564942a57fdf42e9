import { countRows } from '../store/count-rows.ts';
import { readOperation } from '../store/operation.ts';

/** Counting ends here, so that it takes some milliseconds at most. */
const MOST = 10_000;

/** Deliveries that wait, and webhooks that were paused because their receivers failed. */
export const countBacklog = readOperation(
  'webhooks.count_backlog',
  async (db, _: null) => {
    const some = db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('next_attempt_at', 'is not', null)
      .limit(MOST);
    const paused = db.selectFrom('webhooks').select('id').where('paused_because', 'in', ['failing', 'gone']);
    return { waiting: await countRows(db, some), paused: await countRows(db, paused) };
  },
  () => true,
);
