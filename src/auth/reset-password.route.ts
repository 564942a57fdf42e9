import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { PasswordReset, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { resetPassword } from './reset-password.ts';

export function resetPasswordRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/password/reset',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'resetPassword',
        tags: ['auth'],
        summary: 'Choose a new password by a link of a mail',
        description:
          'Ends all sessions of the account, all personal access tokens, and all links that were mailed for it. The owner is told by mail. Where an admin asked for a new password, the old one is refused. It does not sign in.',
        body: PasswordReset,
        response: answers(Type.Object({}), 'The account has the new password.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.passwordResets.spend(origin.source, parts.clock());
      await resetPassword(parts, request.body, origin);
      return ok({});
    },
  );
}
