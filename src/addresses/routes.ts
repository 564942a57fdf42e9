import type { App } from '../http/server.ts';
import { requestChangeRoute, resendChangeRoute, withdrawChangeRoute } from './change-routes.ts';
import { confirmChangeRoute, revertChangeRoute } from './confirm-routes.ts';
import type { AddressParts } from './parts.ts';
import { verificationRoute, verifyRoute } from './verify-routes.ts';

/** Proving and changing the e-mail address of an account. */
export function addressRoutes(app: App, parts: AddressParts): void {
  verifyRoute(app, parts);
  verificationRoute(app, parts);
  requestChangeRoute(app, parts);
  resendChangeRoute(app, parts);
  withdrawChangeRoute(app, parts);
  confirmChangeRoute(app, parts);
  revertChangeRoute(app, parts);
}
