import { Type } from 'typebox';
import { noMail } from '../domain/failure.ts';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { onceClosed } from '../http/streams.ts';
import { changePassword } from './change.ts';
import { ForgottenPassword, PASSWORD_BODY, PasswordChange, PasswordReset } from './contract.ts';
import { mailPasswordReset } from './forget.ts';
import type { PasswordParts } from './parts.ts';
import { resetPassword } from './reset.ts';

/** Changing, forgetting and resetting a password. */
export function passwordRoutes(app: App, parts: PasswordParts): void {
  app.post(
    '/api/auth/password',
    {
      bodyLimit: PASSWORD_BODY,
      config: {
        access: 'signed_in',
        limits: ['pair', 'source', 'strangers', 'password_change'],
        shows: 'nothing',
      },
      schema: {
        operationId: 'changePassword',
        tags: ['auth'],
        summary: 'Change the own password',
        description:
          'Ends all other sessions of the account, and all personal access tokens. A wrong current password counts as one at sign-in, where ten are free. The owner is told by mail. Where the account has a second factor, only a session that began within the last ten minutes may ask.',
        body: PasswordChange,
        response: answers(Type.Object({}), 'The password was changed.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      await changePassword(parts, { userId, sessionId }, request.body, originOf(request));
      return ok({});
    },
  );

  app.post(
    '/api/auth/password/forgotten',
    {
      ...normalised('email'),
      config: { access: 'public', limits: ['passwordResets', 'mail', 'mail_source'], shows: 'nothing' },
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
      parts.limits.spend('passwordResets', origin.source);
      if (!parts.sendsMail)
        throw noMail(
          'This service sends no mail; ask its operator for a new password (the command "stoa admin reset-password").',
        );
      const { email } = request.body;
      // While the database is away, no answer may say that a mail is on its way.
      await parts.store.ping();
      onceClosed(reply.raw, () => mailPasswordReset(parts, email, origin));
      return ok({});
    },
  );

  app.post(
    '/api/auth/password/reset',
    {
      bodyLimit: PASSWORD_BODY,
      config: { access: 'public', limits: ['passwordResets'], shows: 'nothing' },
      schema: {
        operationId: 'resetPassword',
        tags: ['auth'],
        summary: 'Choose a new password by a link of a mail',
        description:
          'Ends all sessions of the account, all personal access tokens, and all links that were mailed for it, but those that undo a change of the address. The owner is told by mail. Where an admin asked for a new password, the old one is refused. It does not sign in.',
        body: PasswordReset,
        response: answers(Type.Object({}), 'The account has the new password.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.limits.spend('passwordResets', origin.source);
      await resetPassword(parts, request.body, origin);
      return ok({});
    },
  );
}
