import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { endUserSessions } from './end-user-sessions.ts';
import type { UsersParts } from './parts.ts';

export function endUserSessionsRoute(app: App, { store, sessionsEnded, clock }: UsersParts): void {
  const ended = Type.Object({
    ended: Type.Integer({ minimum: 0, description: 'How many sessions and personal access tokens ended.' }),
  });
  app.delete(
    '/api/users/:id/sessions',
    {
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'endUserSessions',
        tags: ['users'],
        summary: 'End all sessions of an account',
        description:
          'Ends all sessions of the account, and all personal access tokens. The account may log in again. For admins alone.',
        params: IdParams,
        response: answers(ended, 'How many ended.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const asked = { caller: { userId, sessionId }, now: clock(), origin: originOf(request) };
      const id = idIn(request.params, 'user');
      const count = await store.write(endUserSessions, { id, ...asked });
      sessionsEnded.send();
      return ok({ ended: count });
    },
  );
}
