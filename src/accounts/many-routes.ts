import { askedBy } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { UserBulk, UserBulkDone } from './admin-contract.ts';
import { changeManyUsers } from './change-many.ts';
import type { AccountParts } from './parts.ts';

/** Many accounts in one request. */
export function manyRoutes(app: App, { store, sendsMail, clock }: AccountParts): void {
  app.post(
    '/api/users/bulk',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'changeManyUsers',
        tags: ['users'],
        summary: 'Change many accounts',
        description:
          'Makes one change to each account, and says for each whether it was made: an account that is refused does not stop the others. The own account is refused, so there is always an admin. To give a higher role and to enable takes a sign-in of the last ten minutes. For admins only.',
        body: UserBulk,
        response: answers(UserBulkDone, 'What came of each account.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { ids, change } = request.body;
      const asked = { ...askedBy(request, clock), sendsMail };
      return ok({ results: await store.write(changeManyUsers, { ids, change, ...asked }) });
    },
  );
}
