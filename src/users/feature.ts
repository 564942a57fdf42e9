import type { FeatureContext, OpenFeature } from '../feature.ts';
import { userRoutes } from './routes.ts';

/** The list of users, and who the caller is. */
export async function openUsers({ config, store }: FeatureContext): Promise<OpenFeature> {
  const listAccess = config.usersList === 'admins' ? 'admin' : 'signed_in';
  return { routes: (app) => userRoutes(app, { store, listAccess }) };
}
