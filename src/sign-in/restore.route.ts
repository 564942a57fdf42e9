import { Type } from 'typebox';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { PASSWORD_BODY } from '../passwords/contract.ts';
import { provePassword, refuse } from '../passwords/prove.ts';
import { Restoration } from './contract.ts';
import type { SignInParts } from './parts.ts';
import { restoreAccount } from './restore.ts';

export function restoreRoute(app: App, parts: SignInParts): void {
  app.post(
    '/api/auth/restore',
    {
      ...normalised('username'),
      bodyLimit: PASSWORD_BODY,
      config: { access: 'public', limits: ['pair', 'source', 'strangers'], shows: 'nothing' },
      schema: {
        operationId: 'restoreAccount',
        tags: ['auth'],
        summary: 'Take a closed account back',
        description:
          'Until the time at which it is removed. It does not log in. A wrong password counts as one at the login.',
        body: Restoration,
        response: answers(Type.Object({}), 'The account is open.', 401, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      // Only the owner knows the password. A guess costs what it costs at a sign-in.
      const { account } = await provePassword(parts, request.body, origin);
      const { sendsMail } = parts;
      const checked = { userId: account.id, checkedHash: account.password_hash, sendsMail };
      if (!(await parts.store.write(restoreAccount, { ...checked, now: parts.clock(), origin })))
        await refuse(parts, { accountId: account.id, charges: [], isLastFree: false, origin });
      return ok({});
    },
  );
}
