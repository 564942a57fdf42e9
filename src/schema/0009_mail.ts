import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * Mails that wait to be sent (docs/decisions/addresses-and-mail.md). The write that causes a mail makes its row. The
 * row is deleted when the mail was sent or given up.
 *
 * - `id` is random, because the secret is sealed to the row before the row exists.
 * - `template_values` is JSON: the values in the mail, without secrets.
 * - `secret_sealed` is the secret of a link (services/sealing), or null.
 * - `next_attempt_at` is postponed by the claim of an attempt, before the attempt itself.
 * - `give_up_at` is when the mail is no longer useful.
 */
export const mail: Migration = {
  name: '0009_mail',
  effect: OF_FIRST_BUILDS,
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE mails (
      id ${key} NOT NULL PRIMARY KEY,
      recipient TEXT NOT NULL,
      template TEXT NOT NULL,
      template_values TEXT NOT NULL,
      secret_sealed TEXT,
      made_at ${integer} NOT NULL,
      attempts ${integer} NOT NULL,
      next_attempt_at ${integer} NOT NULL,
      give_up_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX mails_next_attempt ON mails (next_attempt_at)',
  ],
};
