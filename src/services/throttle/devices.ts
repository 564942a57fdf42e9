import { DAY_MS } from '../../domain/time.ts';
import type { Db } from '../../store/tables.ts';

/** A device that did not sign in for this long is a stranger again. */
export const KNOWN_MS = 90 * DAY_MS;
/** How late the time of the last sign-in may be: one write a day, not one for each sign-in. */
export const RENEW_MS = DAY_MS;
const PER_ACCOUNT = 20;

/**
 * Remembers that an account signed in from a source (`Standing.newDevice`), inside the write that begins the
 * session. Of more than PER_ACCOUNT, those that signed in longest ago are forgotten.
 */
export async function rememberDevice(
  db: Db,
  { key, userId, now }: { readonly key: string; readonly userId: number; readonly now: number },
): Promise<void> {
  await db
    .insertInto('known_devices')
    .values({ key, user_id: userId, seen_at: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ seen_at: now }))
    .execute();
  const newest = db
    .selectFrom('known_devices')
    .select('key')
    .where('user_id', '=', userId)
    .orderBy('seen_at', 'desc')
    .orderBy('key')
    .limit(PER_ACCOUNT);
  await db.deleteFrom('known_devices').where('user_id', '=', userId).where('key', 'not in', newest).execute();
}
