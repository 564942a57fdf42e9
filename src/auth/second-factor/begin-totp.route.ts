import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { beginTotpOf } from './begin-totp.ts';
import { TotpSecret } from './contract.ts';

export function beginTotpRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/totp',
    {
      ...takesCredentials,
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'beginTotp',
        tags: ['auth'],
        summary: 'Begin with an authenticator app',
        description:
          'The secret is not on before POST /api/auth/totp/confirm, within an hour. One that is on stays on until then. Only a session that began within the last ten minutes may ask.',
        response: answers(TotpSecret, 'The secret, shown this once.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => ok(await beginTotpOf(parts, callerOf(request))),
  );
}
