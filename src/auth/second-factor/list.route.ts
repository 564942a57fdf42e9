import { isoTime } from '../../domain/time.ts';
import { callerOf } from '../../http/access.ts';
import { answers, ok } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { SecondFactors } from './contract.ts';
import { listSecondFactors } from './list.ts';

export function listSecondFactorsRoute(app: App, { store }: AuthParts): void {
  app.get(
    '/api/auth/second-factors',
    {
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'listSecondFactors',
        tags: ['auth'],
        summary: 'Which second factors do I have?',
        description:
          'The authenticator app, if one is on, how many passkeys there are, and how many recovery codes are left.',
        response: answers(SecondFactors, 'The second factors of the caller.', 401),
      },
    },
    async (request) => {
      const { totpSince, passkeys, recoveryCodes } = await store.read(
        listSecondFactors,
        callerOf(request).userId,
      );
      const totp = totpSince === null ? {} : { totp: { enabled_at: isoTime(totpSince) } };
      return ok({ ...totp, passkeys, recovery_codes_left: recoveryCodes });
    },
  );
}
