import { recordEvent } from '../services/audit/record.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** The signing keys as the database has them. */

export interface StoredKey {
  readonly kid: string;
  readonly private_jwk: string;
}

export const listSigningKeys = readOperation(
  'auth.list_signing_keys',
  (db, _: null): Promise<StoredKey[]> =>
    db
      .selectFrom('signing_keys')
      .select(['kid', 'private_jwk'])
      .orderBy('created_at')
      .orderBy('kid')
      .execute(),
);

/** Keeps the key if the database has none yet; of several instances that start at once, one key wins. */
export const keepFirstSigningKey = writeOperation(
  'auth.keep_first_signing_key',
  async (db, key: StoredKey & { created_at: number }, engine): Promise<void> => {
    await engine.lock(db, 'signing keys');
    const existing = await db.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst();
    if (!existing) await insertKey(db, key, key.created_at);
  },
);

/** Adds a key that signs from now on. It is the newest even if the clock of this machine is behind. */
export const addSigningKey = writeOperation(
  'auth.add_signing_key',
  async (db, key: StoredKey & { created_at: number }, engine): Promise<void> => {
    await engine.lock(db, 'signing keys');
    const { newest } = await db
      .selectFrom('signing_keys')
      .select((eb) => eb.fn.max('created_at').as('newest'))
      .executeTakeFirstOrThrow();
    await insertKey(db, { ...key, created_at: Math.max(key.created_at, (newest ?? 0) + 1) }, key.created_at);
  },
);

async function insertKey(db: Db, key: StoredKey & { created_at: number }, now: number): Promise<void> {
  await db.insertInto('signing_keys').values(key).execute();
  await recordEvent(db, { event: 'signing_key_added', at: now, origin: null, detail: { kid: key.kid } });
}

/**
 * Removes the keys whose last tokens have ended: those that were replaced before `replacedBefore`.
 * The newest of all stays, whatever its age.
 */
export const removeOldSigningKeys = writeOperation(
  'auth.remove_old_signing_keys',
  async (db, input: { replacedBefore: number; now: number }): Promise<void> => {
    const removed = await db
      .deleteFrom('signing_keys')
      .where('created_at', '<', (eb) =>
        eb
          .selectFrom('signing_keys as successor')
          .select((of) => of.fn.max('successor.created_at').as('since'))
          .where('successor.created_at', '<=', input.replacedBefore),
      )
      .returning('kid')
      .execute();
    for (const { kid } of removed) {
      await recordEvent(db, { event: 'signing_key_removed', at: input.now, origin: null, detail: { kid } });
    }
  },
);
