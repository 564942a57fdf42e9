import { notFound } from '../domain/failure.ts';
import { type CallerInput, ownAccountWrite } from './caller-write.ts';
import { SESSION_COLUMNS, type SessionRow } from './list.ts';
import { livingSignIns } from './living-session.ts';

interface Naming extends CallerInput {
  readonly id: string;
  readonly name: string;
}

/** Names a session of the caller, and returns it. Fails with `not_found` where the caller has no such living session. */
export const updateSession = ownAccountWrite(
  'sessions.update_session',
  async (db, { id, name, now }: Naming, { userId }): Promise<SessionRow> => {
    const own = livingSignIns(db, { userId, now }).select('id').where('id', '=', id);
    const session = await db
      .updateTable('sessions')
      .set({ label: name })
      .where('id', 'in', own)
      .returning(SESSION_COLUMNS)
      .executeTakeFirst();
    if (!session) throw notFound('session');
    return session;
  },
);
