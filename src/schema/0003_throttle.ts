import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Wrong passwords, and known devices (docs/decisions/passwords.md). Keys are hashes of an account and a source.
 *
 * - `guess_debts`: one row for each bucket that is not empty, with the time at which it will be empty. Rows are removed
 *   after that time.
 * - `known_devices`: sources from which an account signed in, with the time of the last sign-in. The time may be a day
 *   too old, because it is written at most once a day.
 */
export const throttle: Migration = {
  name: '0003_throttle',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE guess_debts (
      key ${key} NOT NULL PRIMARY KEY,
      empty_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX guess_debts_empty ON guess_debts (empty_at)',
    `CREATE TABLE known_devices (
      key ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      seen_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX known_devices_user ON known_devices (user_id, seen_at)',
    'CREATE INDEX known_devices_seen ON known_devices (seen_at)',
  ],
};
