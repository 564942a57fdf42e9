import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { confirmTotpOf } from './confirm-totp.ts';
import { RecoveryCodes, TotpConfirmation } from './contract.ts';

export function confirmTotpRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/totp/confirm',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'confirmTotp',
        tags: ['auth'],
        summary: 'Turn an authenticator app on',
        description:
          'From now on a login needs a code. Replaces the app that was on, and all recovery codes. Other sessions go on.',
        body: TotpConfirmation,
        response: answers(RecoveryCodes, 'The recovery codes.', 401, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const { code } = request.body;
      const recovery_codes = await confirmTotpOf(parts, { userId, sessionId }, code, originOf(request));
      return ok({ recovery_codes });
    },
  );
}
