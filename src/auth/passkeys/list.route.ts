import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, ok } from '../../http/envelope.ts';
import { integersIn, linkPages, PageQuery, pageRequest } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { PasskeyPage, toPasskey } from './contract.ts';
import { listPasskeys } from './list.ts';

export function listPasskeysRoute(app: App, { store }: AuthParts): void {
  app.get(
    '/api/auth/passkeys',
    {
      config: { access: 'signed_in', withoutSecondFactor: true },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listPasskeys',
        tags: ['auth'],
        summary: 'List the own passkeys',
        description: 'Newest first.',
        querystring: Type.Object(PageQuery),
        response: answers(PasskeyPage, 'One page of passkeys.', 401),
      },
    },
    async (request, reply) => {
      const { userId } = callerOf(request);
      const page = await store.read(listPasskeys, { ...pageRequest(request.query), userId });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toPasskey) });
    },
  );
}
