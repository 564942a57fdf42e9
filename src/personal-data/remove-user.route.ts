import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { RemovalQuery } from './contract.ts';
import type { PersonalDataParts } from './parts.ts';
import { removeUser } from './remove-user.ts';

export function removeUserRoute(app: App, { store, sessionsEnded, clock }: PersonalDataParts): void {
  const removed = Type.Object({ id: Type.Integer({ minimum: 1 }) });
  app.delete(
    '/api/users/:id',
    {
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'removeUser',
        tags: ['users'],
        summary: 'Remove an account',
        description:
          'At once and for good: its owner cannot take it back, and it is 404 here and in no list. What it wrote shows its name until a job has handed it over or deleted it. Takes a sign-in of the last ten minutes. The last admin cannot be demoted, disabled or removed. For admins alone.',
        params: IdParams,
        querystring: RemovalQuery,
        response: answers(removed, 'The id of the account that was.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      const { content = 'keep' } = request.query;
      const { userId, sessionId } = callerOf(request);
      const asked = { caller: { userId, sessionId }, now: clock(), origin: originOf(request) };
      await store.write(removeUser, { id, content, ...asked });
      sessionsEnded.send();
      return ok({ id });
    },
  );
}
