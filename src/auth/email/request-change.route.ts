import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { NewEmail } from './contract.ts';
import { askForEmailChange } from './request-change.ts';

export function requestEmailChangeRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'requestEmailChange',
        tags: ['auth'],
        summary: 'Ask for another e-mail address',
        description:
          'Mails a link to the new address, which the account has once the link is followed. Only a session that began within the last ten minutes may ask. The link works once, within a day. Five changes are free, and then one each hour.',
        body: NewEmail,
        response: answers(Type.Object({}), 'The mail is on its way.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), parts.clock()];
      await askForEmailChange(parts, { email: request.body.email, caller, origin, now });
      return ok({});
    },
  );
}
