import { answersAlways, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { AuthSettings, authSettingsOf } from './contract.ts';
import type { SignInParts } from './parts.ts';

export function settingsRoute(app: App, parts: SignInParts): void {
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
