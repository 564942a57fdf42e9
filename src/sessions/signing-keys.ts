import { MINUTE_MS } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { isSealedUnder } from '../services/sealing/secrets.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';

export interface StoredKey {
  readonly kid: string;
  /** Sealed (keys.ts). */
  readonly private_jwk: string;
}

export interface NewKey extends StoredKey {
  /** Milliseconds since 1970. */
  readonly created_at: number;
  /** `Sealing.check` of the key that it is sealed under. */
  readonly sealedUnder: string;
}

export const listSigningKeys = readOperation(
  'sessions.list_signing_keys',
  (db, _: null): Promise<StoredKey[]> =>
    db
      .selectFrom('signing_keys')
      .select(['kid', 'private_jwk'])
      .orderBy('created_at')
      .orderBy('kid')
      .execute(),
);

/**
 * Keeps the key if the database has none yet; of several instances that start at once, one key wins. False where
 * the sealing key is another one now.
 */
export const keepFirstSigningKey = writeOperation(
  'sessions.keep_first_signing_key',
  async (db, key: NewKey, engine): Promise<boolean> => {
    await engine.lock(db, 'signing keys');
    return (await newestKey(db)) !== undefined || (await insertNewest(db, key));
  },
);

/** Adds a key that signs from now on. False where the sealing key is another one now. */
export const addSigningKey = writeOperation(
  'sessions.add_signing_key',
  async (db, key: NewKey, engine): Promise<boolean> => {
    await engine.lock(db, 'signing keys');
    return insertNewest(db, key);
  },
);

/**
 * Removes a key, whatever its age. Where it is the newest, which signs, the successor takes its place, so that
 * there is always one. Tells what was done.
 */
export const revokeSigningKey = writeOperation(
  'sessions.revoke_signing_key',
  async (
    db,
    { kid, successor, now }: { kid: string; successor: NewKey; now: number },
    engine,
  ): Promise<'removed' | 'replaced' | 'unknown' | 'sealing key changed'> => {
    await engine.lock(db, 'signing keys');
    const isNewest = (await newestKey(db))?.kid === kid;
    if (isNewest && !(await insertNewest(db, successor))) return 'sealing key changed';
    const removed = await db.deleteFrom('signing_keys').where('kid', '=', kid).returning('kid').execute();
    if (removed.length === 0) return 'unknown';
    await recordEvent(db, { event: 'signing_key_removed', at: now, origin: null, detail: { kid } });
    return isNewest ? 'replaced' : 'removed';
  },
);

function newestKey(db: Db) {
  return db
    .selectFrom('signing_keys')
    .select(['kid', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The key becomes the newest even if the clock of this machine is behind. */
async function insertNewest(db: Db, { kid, private_jwk, created_at, sealedUnder }: NewKey): Promise<boolean> {
  if (!(await isSealedUnder(db, sealedUnder))) return false;
  const newest = await newestKey(db);
  const values = { kid, private_jwk, created_at: Math.max(created_at, (newest?.created_at ?? 0) + 1) };
  await db.insertInto('signing_keys').values(values).execute();
  await recordEvent(db, { event: 'signing_key_added', at: created_at, origin: null, detail: { kid } });
  return true;
}

/** A key is kept this long after its successor signs: the life of a token, and a margin for clocks that differ. */
const KEPT_MS = ACCESS_TOKEN_SECONDS * 1000 + MINUTE_MS;

/**
 * Removes the keys whose last tokens have ended, and records each removal. The newest of all stays, whatever its age. No
 * `Expiry` can say so: a key ends by the time of its successor.
 */
export const removeOldSigningKeys = writeOperation(
  'sessions.remove_old_signing_keys',
  async (db, { now }: { now: number }): Promise<void> => {
    const removed = await db
      .deleteFrom('signing_keys')
      .where('created_at', '<', (eb) =>
        eb
          .selectFrom('signing_keys as successor')
          .select((of) => of.fn.max('successor.created_at').as('since'))
          .where('successor.created_at', '<=', now - KEPT_MS),
      )
      .returning('kid')
      .execute();
    for (const { kid } of removed) {
      await recordEvent(db, { event: 'signing_key_removed', at: now, origin: null, detail: { kid } });
    }
  },
);
