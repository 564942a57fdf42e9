import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { toUser, User } from '../users/contract.ts';
import { Registration, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { register } from './register.ts';

export function registerRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/register',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'register',
        tags: ['auth'],
        summary: 'Register a user',
        description: 'Makes an account with the role "member". Registering does not sign in.',
        body: Registration,
        response: answers(User, 'The new user.', 429, ...BODY_FAILURES),
      },
      links: {
        200: {
          login: {
            operationId: 'login',
            requestBody: { username: '$request.body#/username', password: '$request.body#/password' },
            description: 'The new user can log in at once.',
          },
        },
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.registrations.spend(origin.source, parts.clock());
      return ok(toUser(await register(parts, request.body, origin)));
    },
  );
}
