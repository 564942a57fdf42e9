import { ACCOUNT_FEATURES } from './account-features.ts';
import { CONTENT_FEATURES } from './content-features.ts';
import { DAY_MS } from './domain/time.ts';
import { type Feature, where } from './listed-feature.ts';
import { OPERATOR_FEATURES } from './operator-features.ts';
import * as changeOperations from './services/changes/operations.ts';
import { changeTables } from './services/changes/tables.ts';
import { expiryJob, removeExpired } from './services/expiry.ts';
import * as idempotencyOperations from './services/idempotency/operations.ts';
import { idempotencyPersonalData } from './services/idempotency/personal-data.ts';
import { idempotencyTables } from './services/idempotency/tables.ts';
import * as mailOperations from './services/mail/operations.ts';
import { mailTables } from './services/mail/tables.ts';
import * as sealingOperations from './services/sealing/operations.ts';
import { sealingTables } from './services/sealing/tables.ts';
import { ownTables } from './store/own-tables.ts';
import type { DaysOfSettings } from './store/tables.ts';

/**
 * The one list of features, parents before children. The service, the threads of the store and a move each take what
 * they need. What a feature brings to HTTP is loaded separately, because threads and commands need none of it.
 */
export const FEATURES: readonly Feature[] = [
  { name: 'store', tables: ownTables },
  ...ACCOUNT_FEATURES,
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
  ...CONTENT_FEATURES,
  ...OPERATOR_FEATURES,
];

/** Tables of all features (store/tables.ts), in the order of the list. */
export const TABLES = {
  carried: FEATURES.flatMap(({ tables }) => tables?.carried ?? []),
  derived: FEATURES.flatMap(({ tables }) => tables?.derived ?? []),
  counted: FEATURES.flatMap(({ tables }) => tables?.counted ?? []),
  sealed: FEATURES.flatMap(({ tables }) => tables?.sealed ?? []),
  expires: FEATURES.flatMap(({ tables }) => tables?.expires ?? []),
};

/** Which rows expire in which table, as the settings say. */
export function expiriesOf(settings: DaysOfSettings) {
  return TABLES.expires.map(({ after, ...expiry }) => ({
    ...expiry,
    after: typeof after === 'number' ? after : settings[after] * DAY_MS,
  }));
}

/** Every operation of every feature: the threads of the store find them here by name. */
export const OPERATIONS = FEATURES.flatMap(({ operations }) => operations ?? []);

export const PERSONAL_DATA = FEATURES.flatMap(({ personalData }) => personalData ?? []);

export const BACKLOGS = FEATURES.flatMap(({ backlogs }) => backlogs ?? []);
