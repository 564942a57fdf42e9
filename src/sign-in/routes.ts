import { answersAlways, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { AuthSettings, authSettingsOf } from './contract.ts';
import { completeRoute, loginRoute } from './login-routes.ts';
import type { SignInParts } from './parts.ts';
import { passkeyOptionsRoute, passkeyRoute } from './passkey-routes.ts';
import { restoreRoute } from './restore.route.ts';

/** The ways to sign in, and what a client needs to know before. */
export function signInRoutes(app: App, parts: SignInParts): void {
  loginRoute(app, parts);
  completeRoute(app, parts);
  restoreRoute(app, parts);
  passkeyOptionsRoute(app, parts);
  passkeyRoute(app, parts);
  settingsRoute(app, parts);
}

function settingsRoute(app: App, parts: SignInParts): void {
  app.get(
    '/api/auth/settings',
    {
      config: { access: 'public', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'getAuthSettings',
        tags: ['auth'],
        summary: 'How does one sign up and in here?',
        description:
          'What a client needs before it shows a form. Clients and proxies may keep it for five minutes.',
        response: answersAlways(AuthSettings, 'The settings.'),
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return ok(authSettingsOf(parts));
    },
  );
}
