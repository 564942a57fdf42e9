import type { OpenFeature } from '../feature.ts';
import { confirmChangeRoute, revertChangeRoute, verifyRoute } from './link-routes.ts';
import type { AddressParts } from './parts.ts';
import {
  requestChangeRoute,
  resendChangeRoute,
  verificationRoute,
  withdrawChangeRoute,
} from './request-routes.ts';

/** Proving and changing the e-mail address of an account. */
export function openAddresses(parts: AddressParts): OpenFeature {
  return {
    routes: (app) => {
      verifyRoute(app, parts);
      verificationRoute(app, parts);
      requestChangeRoute(app, parts);
      resendChangeRoute(app, parts);
      withdrawChangeRoute(app, parts);
      confirmChangeRoute(app, parts);
      revertChangeRoute(app, parts);
    },
  };
}
