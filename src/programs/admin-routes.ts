import { Type } from 'typebox';
import { askedBy } from '../http/access.ts';
import { answers, answersEnded, ok } from '../http/envelope.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { RandomIdParams } from '../sessions/contract.ts';
import { PersonalTokenPage, toPersonalToken } from './contract.ts';
import { listUserPersonalTokens } from './list.ts';
import type { ProgramParts } from './parts.ts';
import { revokeUserToken } from './revoke.ts';

export function listUserTokensRoute(app: App, { store, clock }: ProgramParts): void {
  app.get(
    '/api/users/:id/tokens',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listUserTokens',
        tags: ['users'],
        summary: 'List the personal access tokens of an account',
        description: 'Those that live, newest first. For admins only.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(PersonalTokenPage, 'One page of tokens.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const userId = idIn(request.params, 'user');
      const query = { ...pageRequest(request.query), userId, now: clock() };
      return okPage(request, reply, await store.read(listUserPersonalTokens, query), toPersonalToken);
    },
  );
}

export function revokeUserTokenRoute(app: App, { store, clock }: ProgramParts): void {
  app.delete(
    '/api/users/:id/tokens/:token_id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeUserToken',
        tags: ['users'],
        summary: 'Revoke a personal access token of an account',
        description:
          'The token is refused from now on. Takes a sign-in of the last ten minutes. For admins only.',
        params: Type.Object({ ...IdParams.properties, token_id: RandomIdParams.properties.id }),
        response: answersEnded(Type.String(), 'token'),
      },
    },
    async (request) => {
      const { token_id: id } = request.params;
      const about = { userId: idIn(request.params, 'user'), id };
      await store.write(revokeUserToken, { ...about, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
