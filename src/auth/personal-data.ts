import {
  type PersonalData,
  REMOVING,
  type Removal,
  type SectionPage,
  type SectionRequest,
  sectionPage,
} from '../accounts/personal-data.ts';
import { isoTime } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';

/** Sessions removed in one write: some milliseconds. */
const BATCH = 500;
const PAGE = 200;

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

/** Sessions and personal access tokens, those too that have ended. */
export const exportSessions = readOperation(
  'auth.export_sessions',
  async (db, { userId, after: [after = ''] }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('sessions')
      .leftJoin('personal_tokens', 'personal_tokens.session_id', 'sessions.id')
      .select(['id', 'device', 'address', 'scope', 'name', 'last_used_at', 'ended_because'])
      .select(['created_at', 'rotated_at', 'idle_expires_at', 'absolute_expires_at', 'ended_at'])
      .where('user_id', '=', userId)
      .where('id', '>', String(after))
      .orderBy('id')
      .limit(PAGE + 1)
      .execute();
    return sectionPage(rows, PAGE, { toItem: withTimes, cursorOf: ({ id }) => [id] });
  },
);

/** Links to choose a new password by, without what opens them. */
export const exportResets = readOperation(
  'auth.export_resets',
  async (db, { userId }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('password_resets')
      .select('expires_at')
      .where('user_id', '=', userId)
      .orderBy('expires_at')
      .limit(PAGE)
      .execute();
    return { items: rows.map(withTimes) };
  },
);

/** The row with its times as texts, and without what there is none of. */
function withTimes(row: Readonly<Record<string, string | number | null>>): object {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value === 'number' ? isoTime(value) : value]),
  );
}

export const authPersonalData: PersonalData = {
  removals: [removeSessionsOf],
  sections: [
    {
      name: 'sessions',
      description:
        'Sessions, and personal access tokens, which have a scope and a name. Those that ended stay for some weeks.',
      tables: ['sessions', 'personal_tokens'],
      read: exportSessions,
    },
    {
      name: 'password_resets',
      description: 'Links to choose a new password by that were mailed and are still good.',
      tables: ['password_resets'],
      read: exportResets,
    },
  ],
};
