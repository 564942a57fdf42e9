import type { OpenFeature } from '../feature.ts';
import { signInFailures } from './contract.ts';
import type { SignInParts } from './parts.ts';
import { signInRoutes } from './routes.ts';

/** The ways to sign in, and what a client must know before it shows a form. */
export function openSignIn(parts: SignInParts): OpenFeature {
  return { failures: signInFailures, routes: (app) => signInRoutes(app, parts) };
}
