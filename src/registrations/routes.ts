import { Type } from 'typebox';
import { toUser, User } from '../accounts/contract.ts';
import { registeredColumns } from '../accounts/fields.ts';
import { noMail } from '../domain/failure.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { requireEntry } from '../invitations/entry.ts';
import { PASSWORD_BODY } from '../passwords/contract.ts';
import { PURPOSES } from '../services/links/purposes.ts';
import { newLink } from '../services/links/token.ts';
import { registerInvited } from './accept-invitation.ts';
import { registerPending } from './begin.ts';
import { PendingRegistration, REGISTERED, Registration, RegistrationResend } from './contract.ts';
import type { RegistrationParts } from './parts.ts';
import { resendRegistration } from './pending.ts';
import { register } from './register.ts';

/** Making an account, at once or when its address is proved. */
export function registrationRoutes(app: App, parts: RegistrationParts): void {
  app.post(
    '/api/auth/register',
    {
      ...normalised(...REGISTERED),
      bodyLimit: PASSWORD_BODY,
      config: {
        access: 'public',
        limits: ['registrations', 'registration'],
        shows: 'own',
        ignoresUnknown: true,
      },
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
            description:
              'The new user logs in by the same name and password, once the address is proved where that is asked for.',
          },
        },
      },
    },
    async (request) => {
      const origin = originOf(request);
      const { username, email, password, invitation } = request.body;
      const registration = { username, email, password, given: registeredColumns(request.body) };
      requireEntry(parts.registration, invitation);
      parts.limits.spend('registrations', origin.source);
      if (invitation !== undefined)
        return ok(toUser(await registerInvited(parts, { ...registration, invitation }, origin)));
      if (!parts.requiresProof) return ok(toUser(await register(parts, registration, origin)));
      await registerPending(parts, registration, origin);
      return ok({ status: 'pending' as const, username, email, expires_in: PURPOSES.register.lifeMs / 1000 });
    },
  );

  app.post(
    '/api/auth/register/resend',
    {
      ...normalised('username', 'email'),
      config: { access: 'public', limits: ['mailedLinks', 'registration'], shows: 'nothing' },
      schema: {
        operationId: 'resendRegistration',
        tags: ['auth'],
        summary: 'Mail the link of a registration again',
        description:
          'Mails one more link for a registration that waits until its address is proved. Earlier links stay good. The answer is the same where no such registration waits. It counts as a registration of the address: three mails of one source to one address are free, and then one each hour.',
        body: RegistrationResend,
        response: answers(
          Type.Object({}),
          'The mail is on its way, if such a registration waits.',
          403,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const { store, limits, sealing, sendsMail, registration, clock } = parts;
      const origin = originOf(request);
      limits.spend('mailedLinks', origin.source);
      requireEntry(registration, undefined);
      if (!sendsMail) throw noMail('This service sends no mail, so no address can be proved.');
      const mailing = { link: newLink(sealing, 'register'), origin, now: clock() };
      await store.write(resendRegistration, { ...request.body, ...mailing });
      return ok({});
    },
  );
}
