import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { Restoration, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { restore } from './restore.ts';

export function restoreRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/restore',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'restoreAccount',
        tags: ['auth'],
        summary: 'Take a closed account back',
        description:
          'Until the time at which it is removed. It does not log in. A wrong password counts as one at the login.',
        body: Restoration,
        response: answers(Type.Object({}), 'The account is open.', 401, ...BODY_FAILURES),
      },
    },
    async (request) => {
      await restore(parts, request.body, originOf(request));
      return ok({});
    },
  );
}
