import type { PersonalData } from './accounts/personal-data.ts';
import { accountTables } from './accounts/tables.ts';
import { authTables } from './auth/tables.ts';
import { contentTables } from './content/tables.ts';
import type { Feature } from './feature.ts';
import type { Backlog } from './move/backlog.ts';
import { moveTables } from './move/tables.ts';
import { auditTables } from './services/audit/tables.ts';
import { mailTables } from './services/mail/tables.ts';
import { sealingTables } from './services/sealing/tables.ts';
import { throttleTables } from './services/throttle/tables.ts';

/**
 * The one list of what Stoa is made of, parents before children. The service, the threads of the store and a
 * move take from it what they need. Routes and operations are loaded apart, because a thread of the database
 * needs no HTTP and a command needs neither.
 */
export const FEATURES: readonly Feature[] = [
  {
    name: 'accounts',
    tables: accountTables,
  },
  {
    name: 'throttle',
    tables: throttleTables,
    operations: async () => (await import('./services/throttle/operations.ts')).throttleOperations,
    personalData: async () => (await import('./services/throttle/personal-data.ts')).throttlePersonalData,
    open: async ({ store, clock }) => ({
      jobs: [(await import('./services/throttle/forget.ts')).forgettingJob(store, clock)],
    }),
  },
  {
    name: 'auth',
    tables: authTables,
    operations: async () => (await import('./auth/operations.ts')).authOperations,
    personalData: async () => (await import('./auth/personal-data.ts')).authPersonalData,
    open: async (context) => (await import('./auth/feature.ts')).openAuth(context),
  },
  {
    name: 'sealing',
    tables: sealingTables,
    operations: async () => (await import('./services/sealing/operations.ts')).sealingOperations,
  },
  {
    name: 'mail',
    tables: mailTables,
    operations: async () => (await import('./services/mail/operations.ts')).mailOperations,
    open: async ({ config, store, sealing, log, clock }) => {
      if (!config.mail) return {};
      const { openMail } = await import('./services/mail/feature.ts');
      const { job, outbox } = openMail({ store, sealing, settings: config.mail, log, clock });
      return { jobs: [job], checks: { outbox } };
    },
  },
  {
    name: 'users',
    operations: async () => (await import('./users/operations.ts')).userOperations,
    open: async (context) => (await import('./users/feature.ts')).openUsers(context),
  },
  {
    name: 'content',
    tables: contentTables,
    operations: async () => (await import('./content/operations.ts')).contentOperations,
    personalData: async () => (await import('./content/personal-data.ts')).contentPersonalData,
    backlogs: async () => [(await import('./content/index-words.ts')).contentBacklog],
    open: async (context) => (await import('./content/feature.ts')).openContent(context),
  },
  {
    name: 'personal data',
    operations: async () => (await import('./personal-data/operations.ts')).personalDataOperations,
    open: async (context) => (await import('./personal-data/feature.ts')).openPersonalData(context),
  },
  {
    name: 'audit',
    tables: auditTables,
    operations: async () => (await import('./audit/operations.ts')).auditOperations,
    personalData: async () => (await import('./audit/personal-data.ts')).auditPersonalData,
    open: async (context) => (await import('./audit/feature.ts')).openAudit(context),
  },
  {
    name: 'move',
    tables: moveTables,
  },
];

/** Tables of all features (store/tables.ts), in the order of the list. */
export const TABLES = {
  carried: FEATURES.flatMap(({ tables }) => tables?.carried ?? []),
  derived: FEATURES.flatMap(({ tables }) => tables?.derived ?? []),
  counted: FEATURES.flatMap(({ tables }) => tables?.counted ?? []),
  sealed: FEATURES.flatMap(({ tables }) => tables?.sealed ?? []),
};

export async function loadPersonalData(): Promise<PersonalData[]> {
  return (await Promise.all(FEATURES.map(async ({ personalData }) => (await personalData?.()) ?? []))).flat();
}

export async function loadBacklogs(): Promise<Backlog[]> {
  return (await Promise.all(FEATURES.map(async ({ backlogs }) => (await backlogs?.()) ?? []))).flat();
}
