import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { changePassword } from './change-password.ts';
import { PasswordChange, takesCredentials } from './contract.ts';
import type { AuthParts } from './parts.ts';

export function changePasswordRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/password',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
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
}
