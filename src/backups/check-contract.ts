import { type Static, Type } from 'typebox';

declare module '../http/service.ts' {
  interface Details {
    backups: typeof BackupHealth;
    bucket: typeof SendingHealth;
  }
}

/** `failing`: the last try failed. `overdue`: the newest proved backup is older than two of the times between backups. */
export const BackupHealth = Type.Enum(['ok', 'failing', 'overdue'], {
  type: 'string',
  description:
    'Backups by themselves: "failing" after a failed one until the next works, "overdue" when the newest proved one is too old. Absent where BACKUP_EVERY is off.',
});
export type BackupHealth = Static<typeof BackupHealth>;

/** `failing`: the newest proved backup could not be sent, or was not sent for a long time. */
export const SendingHealth = Type.Enum(['ok', 'failing'], {
  type: 'string',
  description:
    'Sending of proved backups: "failing" after a failed try until the next works, and where the newest backup has not arrived for more than twelve hours. Absent where BACKUP_S3_BUCKET is not set.',
});
export type SendingHealth = Static<typeof SendingHealth>;
