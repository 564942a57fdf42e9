import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { MailedLink } from './contract.ts';
import { revertChange } from './revert-change.ts';

export function revertEmailChangeRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email/revert',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'revertEmailChange',
        tags: ['auth'],
        summary: 'Take a change of the e-mail address back',
        description:
          'By the link that was mailed to the address before. Ends the password, all sessions and all tokens of the account, and mails a link to choose a new password by.',
        body: MailedLink,
        response: answers(Type.Object({}), 'The account has its address again.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.mailedLinks.spend(origin.source, parts.clock());
      await revertChange(parts, request.body.token, origin);
      return ok({});
    },
  );
}
