import { type BackupState, readBackupState } from '../backups/state.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkBackups, checkClock } from '../doctor/rows.ts';
import { readOperation } from '../store/operation.ts';

interface Look {
  /** BACKUP_EVERY in milliseconds. */
  readonly every: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the database says of itself in three rows. */
export const lookAtSystem = readOperation(
  'system.look',
  async (
    db,
    { every, now }: Look,
    engine,
  ): Promise<{ readonly findings: readonly Finding[]; readonly backups: BackupState }> => ({
    findings: [await checkClock({ db, engine }, now), await checkBackups({ db, engine }, every, now)],
    backups: await readBackupState.run(db, null, engine),
  }),
);
