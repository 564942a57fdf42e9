import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { takesCredentials } from './contract.ts';
import { RegistrationResend } from './email/contract.ts';
import type { AuthParts } from './parts.ts';
import { askForRegistrationAgain } from './resend-registration.ts';

export function resendRegistrationRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/register/resend',
    {
      ...takesCredentials,
      config: { access: 'public' },
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
      const origin = originOf(request);
      parts.mailedLinks.spend(origin.source, parts.clock());
      await askForRegistrationAgain(parts, request.body, origin);
      return ok({});
    },
  );
}
