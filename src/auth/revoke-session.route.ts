import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { AuthParts } from './parts.ts';
import { RandomIdParams } from './random-id-contract.ts';
import { revokeOne } from './revoke-sessions.ts';

export function revokeSessionRoute(app: App, parts: AuthParts): void {
  app.delete(
    '/api/auth/sessions/:id',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'revokeSession',
        tags: ['auth'],
        summary: 'End a session',
        description:
          'Ends one session of the caller: its tokens are refused from now on. Personal access tokens stay.',
        params: RandomIdParams,
        response: answers(
          Type.Object({ id: Type.String() }),
          'The id of the session that was.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const { id } = request.params;
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      await revokeOne(parts, { id, caller, origin, now });
      return ok({ id });
    },
  );
}
