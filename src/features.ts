import * as accountOperations from './accounts/operations.ts';
import { accountPersonalData } from './accounts/reserved-names.ts';
import { accountTables } from './accounts/tables.ts';
import * as addressOperations from './addresses/operations.ts';
import * as auditOperations from './audit/operations.ts';
import { auditPersonalData } from './audit/personal-data.ts';
import * as backupOperations from './backups/operations.ts';
import { backupTables } from './backups/tables.ts';
import * as bulkOperations from './bulk/operations.ts';
import * as contentOperations from './content/operations.ts';
import { contentPersonalData } from './content/personal-data.ts';
import { contentTables } from './content/tables.ts';
import { readingsOf } from './domain/metrics.ts';
import type { PageRequest } from './domain/page.ts';
import { DAY_MS } from './domain/time.ts';
import * as draftOperations from './drafts/operations.ts';
import { draftPersonalData } from './drafts/personal-data.ts';
import * as factorOperations from './factors/operations.ts';
import { factorPersonalData } from './factors/personal-data.ts';
import { factorTables } from './factors/tables.ts';
import type { OpenFeature } from './feature.ts';
import * as feedOperations from './feeds/operations.ts';
import type { App } from './http/server.ts';
import * as invitationOperations from './invitations/operations.ts';
import { invitationPersonalData } from './invitations/personal-data.ts';
import { labelsBacklog } from './labels/count.ts';
import * as labelOperations from './labels/operations.ts';
import { labelTables } from './labels/tables.ts';
import * as listOperations from './lists/operations.ts';
import * as liveOperations from './live/operations.ts';
import { liveTables } from './live/tables.ts';
import type { Parts } from './parts.ts';
import * as passwordOperations from './passwords/operations.ts';
import * as programOperations from './programs/operations.ts';
import { programTables } from './programs/tables.ts';
import * as registrationOperations from './registrations/operations.ts';
import { contentBacklog } from './search/index-words.ts';
import * as searchOperations from './search/operations.ts';
import { auditTables } from './services/audit/tables.ts';
import * as changeOperations from './services/changes/operations.ts';
import { changeTables } from './services/changes/tables.ts';
import { expiryJob, removeExpired } from './services/expiry.ts';
import * as idempotencyOperations from './services/idempotency/operations.ts';
import { idempotencyPersonalData } from './services/idempotency/personal-data.ts';
import { idempotencyTables } from './services/idempotency/tables.ts';
import * as limitOperations from './services/limits/operations.ts';
import { limitPersonalData } from './services/limits/personal-data.ts';
import { limitTables } from './services/limits/tables.ts';
import * as linkOperations from './services/links/operations.ts';
import { linkPersonalData } from './services/links/personal-data.ts';
import { linkTables } from './services/links/tables.ts';
import * as mailOperations from './services/mail/operations.ts';
import { mailTables } from './services/mail/tables.ts';
import type { PersonalData } from './services/personal-data.ts';
import * as sealingOperations from './services/sealing/operations.ts';
import { sealingTables } from './services/sealing/tables.ts';
import * as sessionOperations from './sessions/operations.ts';
import { sessionPersonalData } from './sessions/personal-data.ts';
import { sessionTables } from './sessions/tables.ts';
import * as setupOperations from './setup/operations.ts';
import { setupTables } from './setup/tables.ts';
import * as signInOperations from './sign-in/operations.ts';
import { signInTables } from './sign-in/tables.ts';
import * as slugOperations from './slugs/operations.ts';
import type { FeatureTables } from './store/tables.ts';
import * as systemOperations from './system/operations.ts';
import * as transferOperations from './transfer/accounts/operations.ts';
import type { Backlog } from './transfer/backlog.ts';
import * as contentTransferOperations from './transfer/content/operations.ts';
import { contentImportTables } from './transfer/content/tables.ts';
import { moveTables } from './transfer/tables.ts';
import * as trashOperations from './trash/operations.ts';
import { trashPersonalData } from './trash/personal-data.ts';
import { VERSION } from './version.ts';
import * as versionOperations from './versions/operations.ts';
import { versionPersonalData } from './versions/personal-data.ts';
import * as webhookOperations from './webhooks/operations.ts';
import { webhookTables } from './webhooks/tables.ts';

/** One part of what Stoa is made of. */
interface Feature {
  readonly name: string;
  readonly tables?: FeatureTables;
  /** Operations for the threads of the store. This module loads neither HTTP nor a token library. */
  readonly operations?: readonly { readonly name: string }[];
  /** Work that a move does after it has copied the tables. */
  readonly backlogs?: readonly Backlog[];
  /** The rows that the feature has about accounts. */
  readonly personalData?: PersonalData;
  /** Makes the feature's part of the HTTP service. */
  readonly open?: Open;
}

type Open = (parts: Parts) => Promise<OpenFeature>;

/** Opens a room that brings routes only. */
function routesOf(load: () => Promise<(app: App, parts: Parts) => void>): Open {
  return async (parts) => {
    const addTo = await load();
    return { routes: (app) => addTo(app, parts) };
  };
}

/** Loads a feature only where it is set up. */
function where(setting: 'console' | 'mail', open: Open): Open {
  return async (parts) => (parts.config[setting] ? open(parts) : {});
}

/**
 * The one list of features, parents before children. The service, the threads of the store and a move each take what
 * they need. What a feature brings to HTTP is loaded separately, because threads and commands need none of it.
 */
export const FEATURES: readonly Feature[] = [
  {
    name: 'accounts',
    tables: accountTables,
    operations: Object.values(accountOperations),
    personalData: accountPersonalData,
    open: async (parts) => (await import('./accounts/feature.ts')).openAccounts(parts),
  },
  {
    name: 'limits',
    tables: limitTables,
    operations: Object.values(limitOperations),
    personalData: limitPersonalData,
    open: async ({ limits, attempts }) => ({
      readings: () => [...limits.readings, ...readingsOf({ stoa_sign_ins_waiting: attempts.waiting })],
    }),
  },
  {
    name: 'sessions',
    tables: sessionTables,
    operations: Object.values(sessionOperations),
    personalData: sessionPersonalData,
    open: async (parts) => (await import('./sessions/feature.ts')).openSessionRoutes(parts),
  },
  {
    name: 'programs',
    tables: programTables,
    operations: Object.values(programOperations),
    open: routesOf(async () => (await import('./programs/routes.ts')).programRoutes),
  },
  {
    name: 'links',
    tables: linkTables,
    operations: Object.values(linkOperations),
    personalData: linkPersonalData,
    open: routesOf(async () => (await import('./services/links/routes.ts')).mailPageRoutes),
  },
  {
    name: 'passwords',
    operations: Object.values(passwordOperations),
    open: routesOf(async () => (await import('./passwords/routes.ts')).passwordRoutes),
  },
  {
    name: 'factors',
    tables: factorTables,
    operations: Object.values(factorOperations),
    personalData: factorPersonalData,
    open: async (parts) => (await import('./factors/feature.ts')).openFactors(parts),
  },
  {
    name: 'addresses',
    operations: Object.values(addressOperations),
    open: routesOf(async () => (await import('./addresses/routes.ts')).addressRoutes),
  },
  {
    name: 'invitations',
    operations: Object.values(invitationOperations),
    personalData: invitationPersonalData,
    open: routesOf(async () => (await import('./invitations/routes.ts')).invitationRoutes),
  },
  {
    name: 'registrations',
    operations: Object.values(registrationOperations),
    open: routesOf(async () => (await import('./registrations/routes.ts')).registrationRoutes),
  },
  {
    name: 'sign-in',
    tables: signInTables,
    operations: Object.values(signInOperations),
    open: async (parts) => (await import('./sign-in/feature.ts')).openSignIn(parts),
  },
  {
    name: 'setup',
    tables: setupTables,
    operations: Object.values(setupOperations),
    open: where(
      'console',
      routesOf(async () => (await import('./setup/routes.ts')).setupRoutes),
    ),
  },
  {
    name: 'console',
    open: where(
      'console',
      routesOf(async () => (await import('./console/routes.ts')).consoleRoutes),
    ),
  },
  {
    name: 'expiry',
    operations: [removeExpired],
    open: async ({ config, store, clock }) => ({ jobs: [expiryJob(expiriesOf(config), store, clock)] }),
  },
  {
    name: 'changes',
    tables: changeTables,
    operations: Object.values(changeOperations),
    open: async (parts) => (await import('./services/changes/feature.ts')).openChanges(parts),
  },
  {
    name: 'sealing',
    tables: sealingTables,
    operations: Object.values(sealingOperations),
  },
  {
    name: 'mail',
    tables: mailTables,
    operations: Object.values(mailOperations),
    open: where('mail', async (parts) => (await import('./services/mail/feature.ts')).openMail(parts)),
  },
  {
    name: 'idempotency',
    tables: idempotencyTables,
    operations: Object.values(idempotencyOperations),
    personalData: idempotencyPersonalData,
  },
  {
    name: 'content',
    tables: contentTables,
    operations: Object.values(contentOperations),
    personalData: contentPersonalData,
    open: async (parts) => (await import('./content/feature.ts')).openContent(parts),
  },
  {
    name: 'previews',
    open: routesOf(async () => (await import('./previews/routes.ts')).previewRoutes),
  },
  {
    name: 'search',
    operations: Object.values(searchOperations),
    backlogs: [contentBacklog],
    open: async (parts) => (await import('./search/feature.ts')).openSearch(parts),
  },
  {
    name: 'lists',
    operations: Object.values(listOperations),
    open: async (parts) => (await import('./lists/feature.ts')).openLists(parts),
  },
  {
    name: 'feeds',
    operations: Object.values(feedOperations),
    open: async (parts) => (await import('./feeds/feature.ts')).openFeeds(parts),
  },
  {
    name: 'bulk',
    operations: Object.values(bulkOperations),
    open: routesOf(async () => (await import('./bulk/routes.ts')).bulkRoutes),
  },
  {
    name: 'versions',
    operations: Object.values(versionOperations),
    personalData: versionPersonalData,
    open: async (parts) => (await import('./versions/feature.ts')).openVersions(parts),
  },
  {
    name: 'slugs',
    operations: Object.values(slugOperations),
    open: async (parts) => (await import('./slugs/feature.ts')).openSlugs(parts),
  },
  {
    name: 'drafts',
    operations: Object.values(draftOperations),
    personalData: draftPersonalData,
    open: async (parts) => (await import('./drafts/feature.ts')).openDrafts(parts),
  },
  {
    name: 'trash',
    operations: Object.values(trashOperations),
    personalData: trashPersonalData,
    open: async (parts) => (await import('./trash/feature.ts')).openTrash(parts),
  },
  {
    name: 'labels',
    tables: labelTables,
    operations: Object.values(labelOperations),
    backlogs: [labelsBacklog],
    open: async (parts) => (await import('./labels/feature.ts')).openLabels(parts),
  },
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
      const [{ backupJob }, { backupRoutes }, { sendingJob }, { listBackups }] = await Promise.all([
        import('./backups/job.ts'),
        import('./backups/routes.ts'),
        import('./backups/sending.ts'),
        import('./transfer/backup/list.ts'),
      ]);
      const { database, sealingKey, sealingKeyFile, backupDir, backupKeep, backupEvery: every } = config;
      const task = { database, sealingKey, sealingKeyFile, backupDir, backupKeep };
      const beside = async (work: object, stopping: AbortSignal) =>
        (await import('./back-up-beside.ts')).backUpBeside(work, stopping);
      const makeBackup = (stopping: AbortSignal) => beside(task, stopping);
      const { backupBucket: bucket } = config;
      const send = (file: string, stopping: AbortSignal) =>
        beside({ send: file, bucket, backupKeep }, stopping);
      const sending = bucket && sendingJob({ store, log, clock, send });
      const { job, health, readings } = backupJob({ store, log, clock, every, makeBackup });
      const settings = backupSettingsOf(config);
      const listFiles = (page: PageRequest) => listBackups(backupDir, page);
      return {
        routes: (app) => backupRoutes(app, { store, clock, settings, listFiles }),
        jobs: [job, ...(sending ? [sending.job] : [])],
        readings: () => [...readings(), ...(sending?.readings() ?? [])],
        checks: {
          ...(every !== undefined && { backups: health }),
          ...(sending && { bucket: sending.health }),
        },
      };
    },
  },
  {
    name: 'system',
    operations: Object.values(systemOperations),
    open: async ({ config, store, figures, databaseName, clock }) => {
      const [{ openSystem }, { shownSettings }] = await Promise.all([
        import('./system/feature.ts'),
        import('./system/settings.ts'),
      ]);
      return openSystem({
        ...{ store, clock, figures, version: VERSION, engine: config.database.kind },
        backups: backupSettingsOf(config),
        publicSettings: config,
        settings: shownSettings(config, databaseName),
      });
    },
  },
  {
    name: 'transfer',
    tables: moveTables,
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
  return { every: backupEvery, keep: backupKeep, bucket: backupBucket?.name, folders };
}

/** Tables of all features (store/tables.ts), in the order of the list. */
export const TABLES = {
  carried: FEATURES.flatMap(({ tables }) => tables?.carried ?? []),
  derived: FEATURES.flatMap(({ tables }) => tables?.derived ?? []),
  counted: FEATURES.flatMap(({ tables }) => tables?.counted ?? []),
  sealed: FEATURES.flatMap(({ tables }) => tables?.sealed ?? []),
  expires: FEATURES.flatMap(({ tables }) => tables?.expires ?? []),
};

/** Which rows expire in which table, as the settings say. */
export function expiriesOf({ auditDays }: { readonly auditDays: number }) {
  return TABLES.expires.map(({ after, ...expiry }) => ({
    ...expiry,
    after: after === 'AUDIT_DAYS' ? auditDays * DAY_MS : after,
  }));
}

/** Every operation of every feature: the threads of the store find them here by name. */
export const OPERATIONS = FEATURES.flatMap(({ operations }) => operations ?? []);

export const PERSONAL_DATA = FEATURES.flatMap(({ personalData }) => personalData ?? []);

export const BACKLOGS = FEATURES.flatMap(({ backlogs }) => backlogs ?? []);
