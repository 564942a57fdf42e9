import { writeOperation } from '../../store/operation.ts';
import type { PersonalData, Removal } from '../personal-data.ts';

/** Keys removed in one write: a few milliseconds. */
const BATCH = 200;

export const removeKeysOf = writeOperation(
  'idempotency.remove_keys_of',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const some = db
      .selectFrom('idempotency_keys')
      .select('key_hash')
      .where('user_id', '=', userId)
      .limit(BATCH);
    const removed = await db
      .deleteFrom('idempotency_keys')
      .where('key_hash', 'in', some)
      .returning('key_hash')
      .execute();
    return removed.length === BATCH;
  },
  { isBackground: true },
);

export const idempotencyPersonalData: PersonalData = { removals: [removeKeysOf], sections: [] };
