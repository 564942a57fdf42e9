import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { AuthParts } from './parts.ts';
import { RandomIdParams } from './random-id-contract.ts';
import { revokeUserToken } from './revoke-personal-token.ts';

export function revokeUserTokenRoute(app: App, { store, authenticator, clock }: AuthParts): void {
  app.delete(
    '/api/users/:id/tokens/:token_id',
    {
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'revokeUserToken',
        tags: ['users'],
        summary: 'Revoke a personal access token of an account',
        description:
          'The token is refused from now on. Takes a sign-in of the last ten minutes. For admins alone.',
        params: Type.Object({ ...IdParams.properties, token_id: RandomIdParams.properties.id }),
        response: answers(
          Type.Object({ id: Type.String() }),
          'The id of the token that was.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { token_id: id } = request.params;
      const about = { userId: idIn(request.params, 'user'), id };
      await store.write(revokeUserToken, { ...about, caller, origin: originOf(request), now: clock() });
      authenticator.forget({ key: id });
      return ok({ id });
    },
  );
}
