import { HOUR_MS } from '../../domain/time.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Store } from '../../store/store.ts';

/** Rows removed in one write: some milliseconds, so that nobody waits for it. */
const BATCH = 500;
/** How long a secret of an authenticator app waits for its first code. */
const BEGUN_MS = HOUR_MS;

/** Removes some secrets that nobody turned on; returns how many. */
export const removeBegunTotps = writeOperation(
  'auth.remove_begun_totps',
  async (db, { until }: { until: number }): Promise<number> => {
    const begun = db
      .selectFrom('totp_secrets')
      .select('id')
      .where('confirmed_at', 'is', null)
      .where('created_at', '<=', until)
      .limit(BATCH);
    const removed = await db
      .deleteFrom('totp_secrets')
      .where('id', 'in', begun)
      .where('confirmed_at', 'is', null)
      .returning('id')
      .execute();
    return removed.length;
  },
  { isBackground: true },
);

/** Removes authenticator apps that nobody turned on. `now` is in milliseconds since 1970. */
export async function cleanBegunTotps(store: Store, now: number): Promise<void> {
  while ((await store.write(removeBegunTotps, { until: now - BEGUN_MS })) === BATCH);
}
