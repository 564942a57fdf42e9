import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { Invitation, NewInvitation, toInvitation } from './contract.ts';
import { invite } from './create.ts';

export function createInvitationRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/invitations',
    {
      ...takesCredentials,
      config: { access: 'admin' },
      schema: {
        operationId: 'createInvitation',
        tags: ['users'],
        summary: 'Invite somebody by mail',
        description:
          'For admins alone. The link works once, within seven days, and as long as who invited is an admin. It takes the place of an earlier one to the address. Asks for a sign-in of the last ten minutes.',
        body: NewInvitation,
        response: answers(Invitation, 'The mail is on its way.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { email, role } = request.body;
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      return ok(toInvitation(await invite(parts, { email, role, caller, origin, now })));
    },
  );
}
