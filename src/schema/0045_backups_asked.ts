import type { Migration } from '../store/migration.ts';

/**
 * `asked_at`: when an admin asked for a backup that no instance has begun. `proved_backups` names the newest proved files,
 * because the name of a file does not tell whether it was proved: "stoa backup" proves none.
 */
export const backupsAsked: Migration = {
  name: '0045_backups_asked',
  effect: {
    does: 'Makes the table of proved backups, and adds when a backup was asked for.',
    stops: { backup_state: 'all' },
  },
  statements: ({ integer, key, tableOptions }) => [
    `ALTER TABLE backup_state ADD COLUMN asked_at ${integer}`,
    `CREATE TABLE proved_backups (
      file ${key} NOT NULL PRIMARY KEY,
      proved_at ${integer} NOT NULL
    )${tableOptions}`,
  ],
};
