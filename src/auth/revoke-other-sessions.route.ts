import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { AuthParts } from './parts.ts';
import { revokeOthers } from './revoke-sessions.ts';

export function revokeOtherSessionsRoute(app: App, parts: AuthParts): void {
  const ended = Type.Object({
    ended: Type.Integer({ minimum: 0, description: 'How many sessions and personal access tokens ended.' }),
  });
  app.delete(
    '/api/auth/sessions',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'revokeOtherSessions',
        tags: ['auth'],
        summary: 'End all other sessions',
        description:
          'Ends all sessions of the account but the one that asks, and all personal access tokens: whatever ends all sessions ends these too. Their tokens are refused from now on.',
        response: answers(ended, 'How many there were.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      return ok({ ended: await revokeOthers(parts, { caller, origin, now }) });
    },
  );
}
