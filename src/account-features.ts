import * as accountOperations from './accounts/operations.ts';
import { accountPersonalData } from './accounts/reserved-names.ts';
import { accountTables } from './accounts/tables.ts';
import * as addressOperations from './addresses/operations.ts';
import { readingsOf } from './domain/metrics.ts';
import * as factorOperations from './factors/operations.ts';
import { factorPersonalData } from './factors/personal-data.ts';
import { factorTables } from './factors/tables.ts';
import * as invitationOperations from './invitations/operations.ts';
import { invitationPersonalData } from './invitations/personal-data.ts';
import { type Feature, routesOf, where } from './listed-feature.ts';
import * as passwordOperations from './passwords/operations.ts';
import * as programOperations from './programs/operations.ts';
import { programTables } from './programs/tables.ts';
import * as registrationOperations from './registrations/operations.ts';
import * as limitOperations from './services/limits/operations.ts';
import { limitPersonalData } from './services/limits/personal-data.ts';
import { limitTables } from './services/limits/tables.ts';
import * as linkOperations from './services/links/operations.ts';
import { linkPersonalData } from './services/links/personal-data.ts';
import { linkTables } from './services/links/tables.ts';
import * as sessionOperations from './sessions/operations.ts';
import { sessionPersonalData } from './sessions/personal-data.ts';
import { sessionTables } from './sessions/tables.ts';
import * as setupOperations from './setup/operations.ts';
import { setupTables } from './setup/tables.ts';
import * as signInOperations from './sign-in/operations.ts';
import { signInTables } from './sign-in/tables.ts';

/** Accounts, how they sign in and what they are reached by. */
export const ACCOUNT_FEATURES: readonly Feature[] = [
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
    open: async ({ attempts }) => ({
      readings: () => readingsOf({ stoa_sign_ins_waiting: attempts.waiting }),
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
    open: async (parts) => (await import('./programs/feature.ts')).openPrograms(parts),
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
    open: async (parts) => (await import('./addresses/feature.ts')).openAddresses(parts),
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
];
