import { DAY_MS, MINUTE_MS } from '../domain/time.ts';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import { cleanUsedChallenges } from './passkeys/used-challenges.ts';
import { cleanBegunTotps } from './second-factor/clean.ts';
import { removeOldSigningKeys } from './signing-keys.ts';

/** Sessions removed in one write: some milliseconds, so that nobody waits for it. */
const BATCH = 500;
/** For this long after its end, a session can still be told from one that never was. */
const KEPT_MS = DAY_MS;
/** For clocks that differ and instances that learned late of a new key. */
const KEY_MARGIN_MS = MINUTE_MS;

/** Removes some sessions that are past their absolute limit; returns how many. One instance at a time. */
export const removeExpiredSessions = writeOperation(
  'auth.remove_expired_sessions',
  async (db, input: { expiredBefore: number; limit: number }, engine): Promise<number> => {
    await engine.lock(db, 'cleaning');
    const expired = await db
      .selectFrom('sessions')
      .select('id')
      .where('absolute_expires_at', '<=', input.expiredBefore)
      .orderBy('absolute_expires_at')
      .limit(input.limit)
      .execute();
    if (expired.length > 0) {
      const ids = expired.map(({ id }) => id);
      await db.deleteFrom('sessions').where('id', 'in', ids).execute();
    }
    return expired.length;
  },
);

/** What only a token opens, until its time is over: links of mails, and sign-ins that wait for a second factor. */
const EXPIRING = [
  'password_resets',
  'pending_registrations',
  'email_links',
  'invitations',
  'second_factor_challenges',
] as const;

interface Expired {
  readonly table: (typeof EXPIRING)[number];
  readonly expiredBefore: number;
  readonly limit: number;
}

/** Removes some rows of a table whose time is over; returns how many. */
export const removeExpired = writeOperation(
  'auth.remove_expired',
  async (db, { table, expiredBefore, limit }: Expired): Promise<number> => {
    const expired = db
      .selectFrom(table)
      .select('token_hash')
      .where('expires_at', '<=', expiredBefore)
      .limit(limit);
    const removed = await db
      .deleteFrom(table)
      .where('token_hash', 'in', expired)
      .returning('token_hash')
      .execute();
    return removed.length;
  },
  { isBackground: true },
);

/** Removes what nobody can use any more: sessions long past their end, keys whose tokens have ended, old links and challenges. */
export async function clean(store: Store, now: number): Promise<void> {
  const batch = { expiredBefore: now - KEPT_MS, limit: BATCH };
  while ((await store.write(removeExpiredSessions, batch)) === BATCH);
  const replacedBefore = now - ACCESS_TOKEN_SECONDS * 1000 - KEY_MARGIN_MS;
  await store.write(removeOldSigningKeys, { replacedBefore, now });
  for (const table of EXPIRING)
    while ((await store.write(removeExpired, { table, expiredBefore: now, limit: BATCH })) === BATCH);
  await cleanUsedChallenges(store, now);
  await cleanBegunTotps(store, now);
}
