import { Type } from 'typebox';

import { answers, ok } from '../http/envelope.ts';
import { IdParams, idIn, integersIn, linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { listUserPersonalTokens } from './list-personal-tokens.ts';
import type { AuthParts } from './parts.ts';
import { PersonalTokenPage, toPersonalToken } from './personal-token-contract.ts';

export function listUserTokensRoute(app: App, { store, clock }: AuthParts): void {
  app.get(
    '/api/users/:id/tokens',
    {
      config: { access: 'admin' },
      preValidation: [integersIn('params', ['id']), integersIn('query', ['page', 'per_page'])],
      schema: {
        operationId: 'listUserTokens',
        tags: ['users'],
        summary: 'List the personal access tokens of an account',
        description: 'Those that live, newest first. For admins alone.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(PersonalTokenPage, 'One page of tokens.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const userId = idIn(request.params, 'user');
      const query = { ...pageRequest(request.query), userId, now: clock() };
      const page = await store.read(listUserPersonalTokens, query);
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toPersonalToken) });
    },
  );
}
