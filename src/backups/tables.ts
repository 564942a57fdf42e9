import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    /** One row (src/schema/0043_backups.ts). */
    backup_state: {
      id: number;
      tried_at: number;
      claimed_by: string | null;
      claimed_until: number;
      /** When the rows were as the newest proved backup has them. */
      made_at: number | null;
      proved_at: number | null;
      file: string | null;
      /** Null after a success. */
      failed_at: number | null;
      problem: string | null;
      /** When an admin asked for a backup that no instance has ended. */
      asked_at: number | null;
    };
    /** The newest files that were proved, by name. */
    proved_backups: { file: string; proved_at: number };
    /** One row (src/schema/0046_sent_backups.ts, 0048_sent_where.ts). */
    backup_sending: {
      id: number;
      /** The name of the backup that was sent last. */
      file: string | null;
      sent_at: number | null;
      /** The address of the bucket that has it; null where an earlier version sent it. */
      bucket: string | null;
      claimed_by: string | null;
      claimed_until: number;
      /** Null after a success. */
      failed_at: number | null;
      problem: string | null;
    };
  }
}

/** Not carried: they describe only this database. */
export const backupTables: FeatureTables = {
  carried: [],
  derived: ['backup_state', 'proved_backups', 'backup_sending'],
};
