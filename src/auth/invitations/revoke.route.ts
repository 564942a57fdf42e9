import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import { IdParams, idIn, integersIn } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { revokeInvitation } from './revoke.ts';

export function revokeInvitationRoute(app: App, { store, clock }: AuthParts): void {
  app.delete(
    '/api/invitations/:id',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'revokeInvitation',
        tags: ['users'],
        summary: 'Take an invitation back',
        description: 'For admins alone, also for the invitations of others.',
        params: IdParams,
        response: answers(
          Type.Object({ id: Type.Integer() }),
          'The id of the invitation that was.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'invitation');
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(revokeInvitation, { id, caller, origin, now });
      return ok({ id });
    },
  );
}
