import { MINUTE_MS } from '../domain/time.ts';
import type { OpenFeature } from '../feature.ts';
import type { PersonalData } from '../services/personal-data.ts';
import { adminRoutes } from './admin-routes.ts';
import { accountFormats } from './formats-contract.ts';
import { freeNames } from './free-names.ts';
import { leavingRoutes } from './leaving-routes.ts';
import { manyRoutes } from './many-routes.ts';
import type { AccountParts } from './parts.ts';
import { removalJob } from './removal.ts';
import { accountRoutes } from './routes.ts';

interface Context extends AccountParts {
  readonly personalData: readonly PersonalData[];
}

/** The list of users, the own account, what admins do to accounts, and how an account comes to its end. */
export function openAccounts({ personalData, ...parts }: Context): OpenFeature {
  const { store, clock } = parts;
  return {
    formats: accountFormats,
    routes: (app) => {
      accountRoutes(app, parts);
      adminRoutes(app, parts);
      manyRoutes(app, parts);
      leavingRoutes(app, parts);
    },
    jobs: [
      {
        name: 'freeing names that were given up',
        every: MINUTE_MS,
        run: () => store.write(freeNames, { now: clock() }),
      },
      removalJob(store, personalData, clock),
    ],
  };
}
