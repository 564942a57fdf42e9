import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { RecoveryCodes } from './contract.ts';
import { createRecoveryCodes } from './create-recovery-codes.ts';
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

export function createRecoveryCodesRoute(app: App, { store, clock, sendsMail }: AuthParts): void {
  app.post(
    '/api/auth/recovery-codes',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'createRecoveryCodes',
        tags: ['auth'],
        summary: 'Make new recovery codes',
        description:
          'Those of before are of no use any more. Only a session that began within the last ten minutes may ask.',
        response: answers(RecoveryCodes, 'The recovery codes.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      const codes = newRecoveryCodes();
      const codeHashes = codes.map((code) => hashOfRecoveryCode(caller.userId, code));
      await store.write(createRecoveryCodes, { codeHashes, sendsMail, caller, origin, now });
      return ok({ recovery_codes: codes });
    },
  );
}
