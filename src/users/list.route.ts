import { type Access, askerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';
import { toUser, UserPage, UserQuery } from './contract.ts';
import { listUsers } from './list.ts';

export function listUsersRoute(
  app: App,
  { store, searches, listAccess }: { store: Store; searches: Searches; listAccess: Access },
): void {
  app.get(
    '/api/users',
    {
      config: { access: listAccess, programs: 'read' },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listUsers',
        tags: ['users'],
        summary: 'List and search users',
        description: 'For every account, or for admins alone where the setting USERS_LIST says so.',
        querystring: UserQuery,
        response: answers(UserPage, 'One page of users.', 400, 401, 403, 429),
      },
    },
    async (request, reply) => {
      const { keyword = '', ...paging } = request.query;
      const query = { ...pageRequest(paging), keyword };
      const read = () => store.read(listUsers, query);
      const page = listUsers.isLong(query) ? await searches.run(await askerOf(request), read) : await read();
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toUser) });
    },
  );
}
