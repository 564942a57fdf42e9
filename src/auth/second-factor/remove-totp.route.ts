import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { removeTotp } from './remove-totp.ts';

export function removeTotpRoute(
  app: App,
  { store, clock, authenticator, mfaRequired, sendsMail }: AuthParts,
): void {
  app.delete(
    '/api/auth/totp',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'removeTotp',
        tags: ['auth'],
        summary: 'Turn the authenticator app off',
        description:
          'With the last second factor go the recovery codes. Only a session that began within the last ten minutes may ask.',
        response: answers(Type.Object({}), 'The authenticator app is off.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(removeTotp, { caller, mfaRequired, sendsMail, origin, now });
      authenticator.forget({ key: caller.sessionId });
      return ok({});
    },
  );
}
