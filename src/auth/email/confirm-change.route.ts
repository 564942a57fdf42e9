import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { confirmChange } from './confirm-change.ts';
import { MailedLink } from './contract.ts';

export function confirmEmailChangeRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email/confirm',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'confirmEmailChange',
        tags: ['auth'],
        summary: 'Take the new e-mail address by a link of a mail',
        description:
          'Ends all other links that were mailed for the account. The address that it had is told, with a link that takes the change back within seven days.',
        body: MailedLink,
        response: answers(Type.Object({}), 'The account has the new address.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.mailedLinks.spend(origin.source, parts.clock());
      await confirmChange(parts, request.body.token, origin);
      return ok({});
    },
  );
}
