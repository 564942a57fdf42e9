import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { AuthParts } from './parts.ts';
import { RandomIdParams } from './random-id-contract.ts';
import { revokeToken } from './revoke-personal-token.ts';

export function revokePersonalTokenRoute(app: App, parts: AuthParts): void {
  const revoked = Type.Object({ id: Type.String() });
  app.delete(
    '/api/auth/tokens/:id',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'revokePersonalToken',
        tags: ['auth'],
        summary: 'Revoke a personal access token',
        description: 'The token is refused from now on.',
        params: RandomIdParams,
        response: answers(revoked, 'The id of the token that was.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { id } = request.params;
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      await revokeToken(parts, { id, caller, origin, now });
      return ok({ id });
    },
  );
}
