import type { FeatureContext, OpenFeature } from '../feature.ts';
import type { Access } from '../http/access.ts';
import { usersFormats } from './admin-contract.ts';
import { changeUserRoute } from './change.route.ts';
import { endUserSessionsRoute } from './end-user-sessions.route.ts';
import { findUserRoute } from './find-for-admin.route.ts';
import { listUsersRoute } from './list.route.ts';
import { meRoute } from './me.route.ts';

const ROUTES = [listUsersRoute, meRoute, findUserRoute, changeUserRoute, endUserSessionsRoute];

/** The list of users, who the caller is, and what administrators do to accounts. */
export async function openUsers({ config, ...context }: FeatureContext): Promise<OpenFeature> {
  const listAccess: Access = config.usersList === 'admins' ? 'admin' : 'signed_in';
  const sendsMail = config.mail !== undefined;
  return {
    formats: usersFormats,
    routes: (app) => {
      for (const add of ROUTES) add(app, { ...context, listAccess, sendsMail });
    },
  };
}
