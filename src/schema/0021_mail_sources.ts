import type { Migration } from '../store/migration.ts';

/**
 * Where the request came from that caused a mail (decisions 0069), so that what waits is bounded by source. `source_key` is
 * a hash; NULL where no request caused the mail, and of mails that were queued before this step.
 */
export const mailSources: Migration = {
  name: '0021_mail_sources',
  statements: ({ key }) => [
    `ALTER TABLE mails ADD COLUMN source_key ${key}`,
    'CREATE INDEX mails_source ON mails (source_key)',
  ],
};
