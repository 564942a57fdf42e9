import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import type { AuthParts } from './parts.ts';
import { PersonalTokenPage, toPersonalToken } from './personal-token-contract.ts';

export function listPersonalTokensRoute(app: App, { store, clock }: AuthParts): void {
  app.get(
    '/api/auth/tokens',
    {
      config: { access: 'signed_in' },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listPersonalTokens',
        tags: ['auth'],
        summary: 'List personal access tokens',
        description: 'Those of the caller that live, newest first.',
        querystring: Type.Object(PageQuery),
        response: answers(PersonalTokenPage, 'One page of tokens.', 401, 403),
      },
    },
    async (request, reply) => {
      const { userId } = callerOf(request);
      const query = { ...pageRequest(request.query), userId, now: clock() };
      const page = await store.read(listPersonalTokens, query);
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toPersonalToken) });
    },
  );
}
