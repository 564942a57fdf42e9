import { Type } from 'typebox';
import { SECOND_FACTORS } from '../../domain/second-factor.ts';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import { IdParams, idIn, integersIn } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { resetUserFactors } from './reset.ts';

export function resetUserFactorsRoute(app: App, { store, authenticator, clock, sendsMail }: AuthParts): void {
  const reset = Type.Object({
    removed: Type.Array(Type.Enum(SECOND_FACTORS, { type: 'string' }), { description: 'The kinds.' }),
  });
  app.delete(
    '/api/users/:id/second-factors',
    {
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'resetUserFactors',
        tags: ['users'],
        summary: 'Remove all second factors of an account',
        description:
          'For whoever lost them: the authenticator app, all passkeys and all recovery codes. Sessions go on, and the owner is told by mail. Takes a sign-in of the last ten minutes. For admins alone, and not for the own account.',
        params: IdParams,
        response: answers(reset, 'What was removed.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const asked = { caller: { userId, sessionId }, now: clock(), origin: originOf(request), sendsMail };
      const removed = await store.write(resetUserFactors, { id: idIn(request.params, 'user'), ...asked });
      authenticator.forget('anything');
      return ok({ removed });
    },
  );
}
