import type { OpenFeature } from '../feature.ts';
import { signInFailures } from './contract.ts';
import { completeRoute, loginRoute, passkeyOptionsRoute, passkeyRoute } from './login-routes.ts';
import type { SignInParts } from './parts.ts';
import { restoreRoute } from './restore.route.ts';
import { settingsRoute } from './settings.route.ts';

/** The ways to sign in, and what a client must know before it shows a form. */
export function openSignIn(parts: SignInParts): OpenFeature {
  return {
    failures: signInFailures,
    routes: (app) => {
      loginRoute(app, parts);
      completeRoute(app, parts);
      restoreRoute(app, parts);
      passkeyOptionsRoute(app, parts);
      passkeyRoute(app, parts);
      settingsRoute(app, parts);
    },
  };
}
