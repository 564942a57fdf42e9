import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { Credentials, LoginResult, refreshLink, takesCredentials } from './contract.ts';
import { deviceOf } from './device.ts';
import { login } from './login.ts';
import type { AuthParts } from './parts.ts';

export function loginRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/login',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'login',
        tags: ['auth'],
        summary: 'Log in',
        description:
          'Begins a session. An unknown name and a wrong password get the same answer. Ten wrong passwords are free. An account that was closed, or has to choose a new password, gets 403 after the right password alone.',
        body: Credentials,
        response: answers(
          LoginResult,
          'An access token and a refresh token.',
          401,
          403,
          429,
          ...BODY_FAILURES,
        ),
      },
      links: refreshLink,
    },
    async (request) => {
      const device = deviceOf(request.headers['user-agent']);
      return ok(await login(parts, request.body, { origin: originOf(request), device }));
    },
  );
}
