import type { Migration } from '../store/migration.ts';

/**
 * One row: which proved backup was sent to a bucket last, which instance sends one now, and why the last try failed. It is
 * apart from `backup_state`, because a backup is made while an older one is still sent.
 */
export const sentBackups: Migration = {
  name: '0046_sent_backups',
  effect: { does: 'Makes the table that remembers which backup was sent to a bucket.' },
  statements: ({ integer, key }) => [
    `CREATE TABLE backup_sending (
      id ${integer} NOT NULL PRIMARY KEY CHECK (id = 1),
      file ${key},
      sent_at ${integer},
      claimed_by ${key},
      claimed_until ${integer} NOT NULL,
      failed_at ${integer},
      problem ${key}
    )`,
    'INSERT INTO backup_sending (id, claimed_until) VALUES (1, 0)',
  ],
};
