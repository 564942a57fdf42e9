import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { askForVerification } from './request-verification.ts';

export function requestVerificationRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email/verification',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'requestEmailVerification',
        tags: ['auth'],
        summary: 'Ask for a link that proves the own e-mail address',
        description:
          'Mails the link to the address of the caller, unless that is proved already. The link works once, within a day. Five links to one address are free, and then one each twelve minutes.',
        response: answers(Type.Object({}), 'The mail is on its way.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      parts.mailedLinks.spend(origin.source, now);
      await askForVerification(parts, { caller, origin, now });
      return ok({});
    },
  );
}
