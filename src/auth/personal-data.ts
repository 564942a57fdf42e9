import { type PersonalData, REMOVING, type Removal } from '../accounts/personal-data.ts';
import { writeOperation } from '../store/operation.ts';

/** Sessions removed in one write: some milliseconds. */
const BATCH = 500;

/** Removes some sessions of an account, and the personal access tokens that belong to them. */
export const removeSessionsOf = writeOperation(
  'auth.remove_sessions_of',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, REMOVING);
    const some = db.selectFrom('sessions').select('id').where('user_id', '=', userId).limit(BATCH);
    const removed = await db.deleteFrom('sessions').where('id', 'in', some).returning('id').execute();
    return removed.length === BATCH;
  },
  { isBackground: true },
);

export const authPersonalData: PersonalData = { removals: [removeSessionsOf] };
