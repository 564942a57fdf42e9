import { readOperation, writeOperation } from '../store/operation.ts';

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
    if (!existing) await db.insertInto('signing_keys').values(key).execute();
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
    const created_at = Math.max(key.created_at, (newest ?? 0) + 1);
    await db
      .insertInto('signing_keys')
      .values({ ...key, created_at })
      .execute();
  },
);

/**
 * Removes the keys whose last tokens have ended: those that were replaced before `replacedBefore`.
 * The newest of all stays, whatever its age.
 */
export const removeOldSigningKeys = writeOperation(
  'auth.remove_old_signing_keys',
  async (db, input: { replacedBefore: number }): Promise<void> => {
    await db
      .deleteFrom('signing_keys')
      .where('created_at', '<', (eb) =>
        eb
          .selectFrom('signing_keys as successor')
          .select((of) => of.fn.max('successor.created_at').as('since'))
          .where('successor.created_at', '<=', input.replacedBefore),
      )
      .execute();
  },
);
