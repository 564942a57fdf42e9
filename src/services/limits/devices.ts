import { ROW_LIMITS } from '../../domain/limits.ts';
import type { Origin } from '../../domain/origin.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Db } from '../../store/tables.ts';
import { keyOf } from './shared.ts';

/** A device that did not sign in for this long is unknown again. */
export const KNOWN_MS = 90 * DAY_MS;
/** The time of the last sign-in may be this late, so that a device costs one write a day. */
export const RENEW_MS = DAY_MS;

/**
 * Remembers that an account signed in from a source (`Allowance.newDevice`), inside the write that begins the session.
 * Beyond the limit of an account, the devices that signed in longest ago are forgotten.
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
    .limit(ROW_LIMITS.knownDevices);
  await db.deleteFrom('known_devices').where('user_id', '=', userId).where('key', 'not in', newest).execute();
}

/**
 * Forgets the known devices of an account except the one that asks, inside a write that gives the account a new
 * password or its first second factor. A thief may have others, and each known device may guess by itself.
 */
export async function forgetOtherDevices(db: Db, userId: number, origin: Origin | null): Promise<void> {
  const own = origin ? keyOf('pair', [`id ${userId}`, origin.source]) : '';
  await db.deleteFrom('known_devices').where('user_id', '=', userId).where('key', '!=', own).execute();
}
