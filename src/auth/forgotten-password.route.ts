import { Type } from 'typebox';
import { noMail } from '../domain/failure.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { ForgottenPassword, takesCredentials } from './contract.ts';
import { mailPasswordReset } from './forgotten-password.ts';
import type { AuthParts } from './parts.ts';

export function forgottenPasswordRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/password/forgotten',
    {
      ...takesCredentials,
      config: { access: 'public' },
      schema: {
        operationId: 'forgetPassword',
        tags: ['auth'],
        summary: 'Ask for a new password by mail',
        description:
          'Mails a link to the address, where an account has it. The answer is the same where none has it. The link works once, within 30 minutes. Five links to one address are free, and then one each twelve minutes.',
        body: ForgottenPassword,
        response: answers(
          Type.Object({}),
          'The mail is on its way, if there is such an account.',
          403,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request, reply) => {
      const origin = originOf(request);
      parts.passwordResets.spend(origin.source, parts.clock());
      if (!parts.sendsMail)
        throw noMail(
          'This service sends no mail; ask whoever runs it for a new password (the command "stoa admin reset-password").',
        );
      const { email } = request.body;
      // Where the database is away, nobody is told that a mail is on its way.
      await parts.store.ping();
      reply.raw.once('close', () => mailPasswordReset(parts, email, origin));
      return ok({});
    },
  );
}
