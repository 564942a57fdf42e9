import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normaliseMembers } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import { IdParams, idIn, integersIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { newLink } from '../services/mail/links.ts';
import { AdminUser, AdminUserChange, toAdminUser } from './admin-contract.ts';
import { changeUser } from './change.ts';
import type { UsersParts } from './parts.ts';

export function changeUserRoute(
  app: App,
  { store, sealing, sessionsEnded, sendsMail, clock }: UsersParts,
): void {
  app.put(
    '/api/users/:id',
    {
      config: { access: 'admin' },
      preValidation: [
        integersIn('params', ['id']),
        async (request) => normaliseMembers(request.body, ['email']),
      ],
      schema: {
        operationId: 'updateUser',
        tags: ['users'],
        summary: 'Change an account',
        description:
          'Changes the members given. To give rights, to demand a new password and to change the address takes a sign-in of the last ten minutes. The last admin cannot be demoted, disabled or removed. For admins alone.',
        params: IdParams,
        body: AdminUserChange,
        response: answers(AdminUser, 'The account as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      const { role, disabled, must_change_password, email } = request.body;
      const { userId, sessionId } = callerOf(request);
      const link = must_change_password && sendsMail ? newLink(sealing, 'stoa_pr_') : undefined;
      const change = { id, role, disabled, must_change_password, email, link, sendsMail };
      const asked = { caller: { userId, sessionId }, now: clock(), origin: originOf(request) };
      const user = await store.write(changeUser, { ...change, ...asked });
      sessionsEnded.send();
      return ok(toAdminUser(user));
    },
  );
}
