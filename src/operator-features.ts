import * as auditOperations from './audit/operations.ts';
import { auditPersonalData } from './audit/personal-data.ts';
import * as backupOperations from './backups/operations.ts';
import { backupTables } from './backups/tables.ts';
import type { Notice } from './domain/notice.ts';
import { type Feature, routesOf } from './listed-feature.ts';
import * as liveOperations from './live/operations.ts';
import { liveTables } from './live/tables.ts';
import type { Parts } from './parts.ts';
import { auditTables } from './services/audit/tables.ts';
import * as systemOperations from './system/operations.ts';
import * as transferOperations from './transfer/accounts/operations.ts';
import * as contentTransferOperations from './transfer/content/operations.ts';
import { contentImportTables } from './transfer/content/tables.ts';
import { shownBucket } from './transfer/s3/bucket.ts';
import { VERSION } from './version.ts';
import * as webhookOperations from './webhooks/operations.ts';
import { webhookTables } from './webhooks/tables.ts';

/** Webhooks, live events, the audit trail, backups, and what else is for those who run the service. */
export const OPERATOR_FEATURES: readonly Feature[] = [
  {
    name: 'webhooks',
    tables: webhookTables,
    operations: Object.values(webhookOperations),
    open: async (parts) => (await import('./webhooks/feature.ts')).openWebhooks(parts),
  },
  {
    name: 'live',
    tables: liveTables,
    operations: Object.values(liveOperations),
    open: async (parts) => (await import('./live/feature.ts')).openLive(parts),
  },
  {
    name: 'audit',
    tables: auditTables,
    operations: Object.values(auditOperations),
    personalData: auditPersonalData,
    open: routesOf(async () => (await import('./audit/routes.ts')).auditRoutes),
  },
  {
    name: 'backups',
    tables: backupTables,
    operations: Object.values(backupOperations),
    open: async ({ config, store, log, clock }) => {
      const [{ openBackups }, { listBackups }] = await Promise.all([
        import('./backups/feature.ts'),
        import('./transfer/backup/list.ts'),
      ]);
      const { database, sealingKey, sealingKeyFile, backupDir, backupKeep, backupBucket: bucket } = config;
      const task = { database, sealingKey, sealingKeyFile, backupDir, backupKeep };
      const notice: Notice = (message, cause) => log.warn({ cause }, message);
      const beside = async (work: object, stopping: AbortSignal) =>
        (await import('./back-up-beside.ts')).backUpBeside(work, stopping, notice);
      return openBackups({
        ...{ store, log, clock, settings: backupSettingsOf(config) },
        makeBackup: (stopping) => beside(task, stopping),
        listFiles: (page) => listBackups(backupDir, page),
        send: (file, stopping) => beside({ send: file, bucket, backupKeep }, stopping),
      });
    },
  },
  {
    name: 'system',
    operations: Object.values(systemOperations),
    open: async ({ config, store, figures, databaseName, clock, workers }) => {
      const [{ openSystem }, { shownSettings }] = await Promise.all([
        import('./system/feature.ts'),
        import('./system/settings.ts'),
      ]);
      return openSystem({
        ...{ store, clock, figures, workers, version: VERSION, engine: config.database.kind },
        backups: backupSettingsOf(config),
        publicSettings: config,
        settings: shownSettings(config, databaseName),
      });
    },
  },
  {
    name: 'transfer',
    operations: Object.values(transferOperations),
  },
  {
    name: 'content-transfer',
    tables: contentImportTables,
    operations: Object.values(contentTransferOperations),
  },
];

function backupSettingsOf({ backupEvery, backupKeep, backupBucket, backupDir, dataDir }: Parts['config']) {
  const folders = { BACKUP_DIR: backupDir, DATA_DIR: dataDir };
  return { every: backupEvery, keep: backupKeep, bucket: shownBucket(backupBucket), folders };
}
