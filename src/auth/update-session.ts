import { type CallerInput, ownAccountWrite } from '../accounts/caller-write.ts';
import { livingSignIns } from '../accounts/living-session.ts';
import { notFound } from '../domain/failure.ts';
import { SESSION_COLUMNS, type SessionRow } from './list-sessions.ts';

interface Naming extends CallerInput {
  readonly id: string;
  readonly name: string;
}

/** Gives a session of the caller a name, and returns it. Fails with `not_found` where the caller has no such living session. */
export const updateSession = ownAccountWrite(
  'auth.update_session',
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
