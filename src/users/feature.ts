import type { FeatureContext, OpenFeature } from '../feature.ts';
import type { Access } from '../http/access.ts';
import { listUsersRoute } from './list.route.ts';
import { meRoute } from './me.route.ts';

const ROUTES = [listUsersRoute, meRoute];

/** The list of users, and who the caller is. */
export async function openUsers({ config, store, searches }: FeatureContext): Promise<OpenFeature> {
  const listAccess: Access = config.usersList === 'admins' ? 'admin' : 'signed_in';
  return {
    routes: (app) => {
      for (const add of ROUTES) add(app, { store, searches, listAccess });
    },
  };
}
