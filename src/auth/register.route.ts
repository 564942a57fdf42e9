import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { toUser, User } from '../users/contract.ts';
import { Registration, takesCredentials } from './contract.ts';
import { registerPending } from './email/begin-registration.ts';
import { PendingRegistration } from './email/contract.ts';
import { PENDING_MS } from './email/pending-registration.ts';
import { registerInvited } from './invitations/accept.ts';
import { requireEntry } from './invitations/entry.ts';
import type { AuthParts } from './parts.ts';
import { register } from './register.ts';

export function registerRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/register',
    {
      ...takesCredentials,
      config: { access: 'public', ignoresUnknown: true },
      schema: {
        operationId: 'register',
        tags: ['auth'],
        summary: 'Register a user',
        description:
          'Makes an account with the role "member". Registering does not sign in. Where addresses have to be proved (EMAIL_VERIFICATION), the answer is a registration that waits, with `status`: the account is made when the link of the mail is followed. The setting REGISTRATION may ask for an invitation, which gives its role and proves the address, or let nobody register.',
        body: Registration,
        response: answers(
          Type.Union([User, PendingRegistration]),
          'The new user, or a registration that waits for its link.',
          403,
          ...BODY_FAILURES,
        ),
      },
      links: {
        200: {
          login: {
            operationId: 'login',
            requestBody: { username: '$request.body#/username', password: '$request.body#/password' },
            description:
              'The new user logs in by the same name and password, once the address is proved where that is asked for.',
          },
        },
      },
    },
    async (request) => {
      const origin = originOf(request);
      const { invitation, ...registration } = request.body;
      requireEntry(parts.registration, invitation);
      parts.registrations.spend(origin.source, parts.clock());
      if (invitation !== undefined)
        return ok(toUser(await registerInvited(parts, { ...registration, invitation }, origin)));
      if (!parts.requiresProof) return ok(toUser(await register(parts, registration, origin)));
      await registerPending(parts, registration, origin);
      const { username, email } = registration;
      return ok({ status: 'pending' as const, username, email, expires_in: PENDING_MS / 1000 });
    },
  );
}
