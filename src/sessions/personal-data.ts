import {
  type PersonalData,
  type Removal,
  type SectionPage,
  type SectionRequest,
  withTimes,
} from '../services/personal-data.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsAfter } from '../store/pages.ts';

/** Sessions removed in one write: some milliseconds. */
const BATCH = 500;
const PAGE = 200;
/** Removes some sessions of an account, and the personal access tokens that belong to them. */
export const removeSessionsOf = writeOperation(
  'sessions.remove_sessions_of',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const some = db.selectFrom('sessions').select('id').where('user_id', '=', userId).limit(BATCH);
    const removed = await db.deleteFrom('sessions').where('id', 'in', some).returning('id').execute();
    return removed.length === BATCH;
  },
  { isBackground: true },
);

/** Sessions and personal access tokens, those too that have ended. */
export const exportSessions = readOperation(
  'sessions.export_sessions',
  async (db, { userId, after: [after = ''] }: SectionRequest): Promise<SectionPage> => {
    const sessions = db
      .selectFrom('sessions')
      .leftJoin('personal_tokens', 'personal_tokens.session_id', 'sessions.id')
      .select(['id', 'device', 'address', 'scope', 'last_used_at', 'ended_because'])
      .select((eb) => eb.fn.coalesce('name', 'label').as('name'))
      .select(['created_at', 'rotated_at', 'idle_expires_at', 'absolute_expires_at', 'ended_at'])
      .where('user_id', '=', userId);
    const { rows, next } = await rowsAfter(sessions, { key: 'id', after, most: PAGE });
    return { items: rows.map(withTimes), next: next && [next.id] };
  },
);

export const sessionPersonalData: PersonalData = {
  removals: [removeSessionsOf],
  sections: [
    {
      name: 'sessions',
      description:
        'Sessions, and personal access tokens, which have a scope; a name, where the owner gave one. Of those that ended, the last fifty stay for some weeks.',
      tables: ['sessions', 'personal_tokens'],
      read: exportSessions,
    },
  ],
};
