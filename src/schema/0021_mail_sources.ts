import type { Migration } from '../store/migration.ts';

/**
 * The source of the request that caused a mail (docs/decisions/addresses-and-mail.md), so that waiting mails are
 * bounded by source. `source_key` is a hash. It is NULL if no request caused the mail, and for mails that were queued
 * before this step.
 */
export const mailSources: Migration = {
  name: '0021_mail_sources',
  effect: { does: 'Adds the source of a mail, with an index.', stops: { mails: 'all' }, reads: ['mails'] },
  statements: ({ key }) => [
    `ALTER TABLE mails ADD COLUMN source_key ${key}`,
    'CREATE INDEX mails_source ON mails (source_key)',
  ],
};
