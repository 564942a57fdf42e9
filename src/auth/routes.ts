import type { App } from '../http/server.ts';
import { jwksRoute } from './jwks.route.ts';
import { loginRoute } from './login.route.ts';
import { logoutRoute } from './logout.route.ts';
import type { AuthParts } from './parts.ts';
import { refreshRoute } from './refresh.route.ts';
import { registerRoute } from './register.route.ts';

export function authRoutes(app: App, parts: AuthParts): void {
  for (const add of [registerRoute, loginRoute, refreshRoute, logoutRoute, jwksRoute]) add(app, parts);
}
