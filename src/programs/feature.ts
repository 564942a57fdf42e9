import type { OpenFeature } from '../feature.ts';
import { listUserTokensRoute, revokeUserTokenRoute } from './admin-routes.ts';
import type { ProgramParts } from './parts.ts';
import { createRoute, listRoute, revokeRoute, updateRoute } from './routes.ts';

/** Personal access tokens, which programs hold. */
export function openPrograms(parts: ProgramParts): OpenFeature {
  return {
    routes: (app) => {
      createRoute(app, parts);
      listRoute(app, parts);
      updateRoute(app, parts);
      revokeRoute(app, parts);
      listUserTokensRoute(app, parts);
      revokeUserTokenRoute(app, parts);
    },
  };
}
