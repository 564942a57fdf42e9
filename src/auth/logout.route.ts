import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { clearRefreshCookie } from './browser/refresh-cookie.ts';
import { takesCredentials } from './contract.ts';
import { logout } from './logout.ts';
import type { AuthParts } from './parts.ts';

export function logoutRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/logout',
    {
      ...takesCredentials,
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'logout',
        tags: ['auth'],
        summary: 'Log out',
        description:
          'Ends the session of the access token: its tokens are refused from now on. Takes the cookie away where there is one.',
        response: answers(Type.Object({}), 'The session has ended.', 401, ...BODY_FAILURES),
      },
    },
    async (request, reply) => {
      await logout(parts, callerOf(request).sessionId, originOf(request));
      clearRefreshCookie(request, reply);
      return ok({});
    },
  );
}
