import { bearerToken } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { LoginResult, refreshLink, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { refresh } from './refresh.ts';

export function refreshRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/refresh',
    {
      ...takesCredentials,
      config: { access: 'refresh_token' },
      schema: {
        operationId: 'refresh',
        tags: ['auth'],
        summary: 'Refresh the access token',
        description: 'Takes the refresh token in the Authorization header and replaces it by a new one.',
        response: answers(
          LoginResult,
          'A new access token and the next refresh token.',
          401,
          429,
          ...BODY_FAILURES,
        ),
      },
      links: refreshLink,
    },
    async (request) => ok(await refresh(parts, bearerToken(request), originOf(request))),
  );
}
