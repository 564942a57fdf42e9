import type { BackupSettings } from '../backups/contract.ts';
import { readSending, type SendingState } from '../backups/sending-state.ts';
import { type BackupState, readBackupState } from '../backups/state.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkBackups, checkBucket, checkClock } from '../doctor/rows.ts';
import { readOperation } from '../store/operation.ts';

interface Look {
  /** BACKUP_EVERY in milliseconds. */
  readonly every: number | undefined;
  readonly bucket: BackupSettings['bucket'];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the database says of itself in four rows. */
export const lookAtSystem = readOperation(
  'system.look',
  async (
    db,
    { every, bucket, now }: Look,
    engine,
  ): Promise<{
    readonly findings: readonly Finding[];
    readonly backups: BackupState;
    readonly sending: SendingState;
  }> => ({
    findings: [
      await checkClock({ db, engine }, () => now),
      await checkBackups({ db, engine }, every, now),
      ...(await checkBucket({ db, engine }, bucket, now)),
    ],
    backups: await readBackupState.run(db, null, engine),
    sending: await readSending.run(db, null, engine),
  }),
);
