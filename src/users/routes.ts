import { Type } from 'typebox';
import { type Access, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, KeywordQuery, linkPages, PageOf, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { Me, toMe, toUser, User } from './contract.ts';
import { listUsers } from './list.ts';
import { findUser } from './me.ts';

export function userRoutes(app: App, { store, listAccess }: { store: Store; listAccess: Access }): void {
  app.get(
    '/api/users',
    {
      config: { access: listAccess },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        tags: ['users'],
        summary: 'List and search users',
        security: [{ accessToken: [] }],
        querystring: Type.Object({ ...PageQuery, keyword: KeywordQuery }),
        response: answers(PageOf(User), 'One page of users.', 401, 403),
      },
    },
    async (request, reply) => {
      const { keyword = '', ...paging } = request.query;
      const page = await store.read(listUsers, { ...pageRequest(paging), keyword });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toUser) });
    },
  );

  app.get(
    '/api/users/me',
    {
      config: { access: 'signed_in' },
      schema: {
        tags: ['users'],
        summary: 'Who am I?',
        security: [{ accessToken: [] }],
        response: answers(Me, 'The account behind the access token.', 401, 404),
      },
    },
    async (request) => ok(toMe(await store.read(findUser, callerOf(request).userId))),
  );
}
