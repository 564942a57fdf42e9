import type { Migration } from '../store/migration.ts';

/**
 * The address of the bucket that has the backup which was sent last: after BACKUP_S3_BUCKET or its endpoint is changed, the
 * new bucket has none. Null where an earlier version sent it, so it is looked for in the bucket once more.
 */
export const sentWhere: Migration = {
  name: '0048_sent_where',
  effect: { does: 'Adds to which bucket the last backup was sent.', stops: { backup_sending: 'all' } },
  statements: ({ key }) => [`ALTER TABLE backup_sending ADD COLUMN bucket ${key}`],
};
