import { freeNames } from '../accounts/free-names.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { FeatureContext, OpenFeature } from '../feature.ts';
import type { Access } from '../http/access.ts';
import { Budget } from '../services/throttle/budget.ts';
import { changeUserRoute } from './change.route.ts';
import { endUserSessionsRoute } from './end-user-sessions.route.ts';
import { findUserRoute } from './find-for-admin.route.ts';
import { listUsersRoute } from './list.route.ts';
import { meRoute } from './me.route.ts';
import { userFormats } from './me-contract.ts';
import { updateMeRoute } from './update-me.route.ts';

/** Of one account. An app may save its profile each minute. */
const PROFILE_CHANGES_PER_HOUR = 200;

const ROUTES = [listUsersRoute, meRoute, updateMeRoute, findUserRoute, changeUserRoute, endUserSessionsRoute];

/** The list of users, who the caller is and what they say of themselves, and what admins do to accounts. */
export async function openUsers({ config, ...context }: FeatureContext): Promise<OpenFeature> {
  const { store, clock } = context;
  const listAccess: Access = config.usersList === 'admins' ? 'admin' : 'signed_in';
  const sendsMail = config.mail !== undefined;
  const changes = new Budget(
    PROFILE_CHANGES_PER_HOUR,
    'Your account was changed too often; try again later.',
  );
  return {
    formats: userFormats,
    routes: (app) => {
      for (const add of ROUTES) add(app, { ...context, listAccess, sendsMail, changes });
    },
    jobs: [
      {
        name: 'freeing names that were given up',
        every: MINUTE_MS,
        run: () => store.write(freeNames, { now: clock() }),
      },
    ],
  };
}
