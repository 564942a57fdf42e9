import { adminWrite } from '../accounts/admin-write.ts';
import { recordEvent } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { type BackupState, isUnderWay, stateOf } from './state.ts';

/**
 * Asks for a backup, which an instance begins within a second or two. Where one is asked for or under way already, nothing
 * is added. Returns the state after it. Fails with `forbidden` for others than admins, with `recent_sign_in_required`, and
 * with `too_many_requests`.
 */
export const askForBackup = adminWrite(
  'backups.ask',
  async (db, { now, origin }: Asked, { userId, sessionId }): Promise<BackupState> => {
    await requireRecentSignIn(db, { sessionId, now });
    await spend(db, 'backup_requests', userId, now);
    // PostgreSQL: one after another, also with an instance that begins one.
    await db.updateTable('backup_state').set({ id: 1 }).execute();
    const state = await stateOf(db);
    if (state.asked_at !== null || isUnderWay(state, now)) return state;
    await db.updateTable('backup_state').set({ asked_at: now }).execute();
    await recordEvent(db, { event: 'backup_requested', at: now, origin, actorId: userId, sessionId });
    return { ...state, asked_at: now };
  },
);
