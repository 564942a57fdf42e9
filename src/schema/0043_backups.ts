import type { Migration } from '../store/migration.ts';

/**
 * One row: when the instances of this database tried and made the last backup by themselves, and which of them makes one
 * now. A move carries no row of it: a new database has no backup yet.
 */
export const backups: Migration = {
  name: '0043_backups',
  effect: { does: 'Makes the table that remembers backups.' },
  statements: ({ engine }) => {
    const [time, text] = engine === 'sqlite' ? ['INTEGER', 'TEXT'] : ['BIGINT', 'TEXT COLLATE "C"'];
    return [
      `CREATE TABLE backup_state (id ${time} NOT NULL PRIMARY KEY CHECK (id = 1), tried_at ${time} NOT NULL, claimed_by ${text}, claimed_until ${time} NOT NULL, made_at ${time}, proved_at ${time}, file ${text}, failed_at ${time}, problem ${text})`,
      'INSERT INTO backup_state (id, tried_at, claimed_until) VALUES (1, 0, 0)',
    ];
  },
};
