import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { askForEmailChangeAgain } from './resend-change.ts';

export function resendEmailChangeRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email/change/resend',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'resendEmailChange',
        tags: ['auth'],
        summary: 'Mail the link of a change of the e-mail address again',
        description:
          'Mails one more link to the new address, which works within a day. Earlier links stay good. It counts as a request for a change.',
        response: answers(Type.Object({}), 'The mail is on its way.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      await askForEmailChangeAgain(parts, { caller, origin, now });
      return ok({});
    },
  );
}
