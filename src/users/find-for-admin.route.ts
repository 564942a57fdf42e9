import { answers, ok } from '../http/envelope.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { AdminUser, toAdminUser } from './admin-contract.ts';
import { findUserForAdmin } from './find-for-admin.ts';
import type { UsersParts } from './parts.ts';

export function findUserRoute(app: App, { store, clock }: UsersParts): void {
  app.get(
    '/api/users/:id',
    {
      config: { access: 'admin' },
      preValidation: integersIn('params', ['id']),
      schema: {
        operationId: 'getUser',
        tags: ['users'],
        summary: 'Read an account',
        description: 'An account as admins see it. For admins alone.',
        params: IdParams,
        response: answers(AdminUser, 'The account.', 401, 403, 404),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      return ok(toAdminUser(await store.read(findUserForAdmin, { id, now: clock() })));
    },
  );
}
