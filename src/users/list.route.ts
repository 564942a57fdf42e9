import { Type } from 'typebox';
import { type Access, askerOf, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { AdminQuery, adminQuery, requireAdminView, toAdminUser } from './admin-contract.ts';
import { toUser, UserPage, UserQuery } from './contract.ts';
import { listUsers } from './list.ts';
import { listUsersForAdmins } from './list-for-admins.ts';
import type { UsersParts } from './parts.ts';

export function listUsersRoute(
  app: App,
  { store, searches, listAccess, clock }: UsersParts & { readonly listAccess: Access },
): void {
  app.get(
    '/api/users',
    {
      config: { access: listAccess, programs: 'read', ignoresUnknown: true },
      preValidation: [integersIn('query', ['page', 'per_page']), requireAdminView],
      schema: {
        operationId: 'listUsers',
        tags: ['users'],
        summary: 'List and search users',
        description:
          'For every account, or for admins alone where the setting USERS_LIST says so. With `view=admin` it is the list for admins.',
        querystring: Type.Object({ ...UserQuery.properties, ...AdminQuery }),
        response: answers(UserPage, 'One page of users.', 401, 403),
      },
    },
    async (request, reply) => {
      const { keyword = '', view, ...rest } = request.query;
      const query = { ...pageRequest(rest), keyword };
      if (view === 'admin') {
        const { userId, sessionId } = callerOf(request);
        const asked = { ...query, ...adminQuery(rest), caller: { userId, sessionId, now: clock() } };
        const list = () => store.read(listUsersForAdmins, asked);
        const page = await searches.run(await askerOf(request), list);
        linkPages(request, reply, page);
        return ok({ ...page, items: page.items.map(toAdminUser) });
      }
      const read = () => store.read(listUsers, query);
      const page = listUsers.isLong(query) ? await searches.run(await askerOf(request), read) : await read();
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toUser) });
    },
  );
}
