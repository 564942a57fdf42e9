import { readOperation } from '../store/operation.ts';

/** Counting ends here, so that it takes some milliseconds at most. */
const MOST = 10_000;

/** Deliveries that wait, and webhooks that are paused. */
export const countBacklog = readOperation(
  'webhooks.count_backlog',
  async (db, _: null) => {
    const some = db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('next_attempt_at', 'is not', null)
      .limit(MOST);
    const deliveries = await db
      .selectFrom(some.as('some'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const paused = await db
      .selectFrom('webhooks')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('paused_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return { waiting: Number(deliveries.count), paused: Number(paused.count) };
  },
  () => true,
);
