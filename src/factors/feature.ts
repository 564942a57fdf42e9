import type { OpenFeature } from '../feature.ts';
import type { FactorParts } from './parts.ts';
import { passkeyFormats } from './passkeys/contract.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { factorRoutes, resetFactorsRoute } from './routes.ts';

/** Authenticator apps, recovery codes and passkeys. */
export function openFactors(parts: FactorParts): OpenFeature {
  return {
    formats: passkeyFormats,
    routes: (app) => {
      factorRoutes(app, parts);
      passkeyRoutes(app, parts);
      resetFactorsRoute(app, parts);
    },
  };
}
