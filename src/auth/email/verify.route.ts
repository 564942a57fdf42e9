import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { toUser, User } from '../../users/contract.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { MailedLink } from './contract.ts';
import { verifyEmail } from './verify.ts';

export function verifyEmailRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/email/verify',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'verifyEmail',
        tags: ['auth'],
        summary: 'Prove an e-mail address by a link of a mail',
        description:
          'Makes the account of a registration that waited for it, or proves the address of an account. It does not sign in.',
        body: MailedLink,
        response: answers(User, 'The account, whose address is proved now.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.mailedLinks.spend(origin.source, parts.clock());
      return ok(toUser(await verifyEmail(parts, request.body.token, origin)));
    },
  );
}
