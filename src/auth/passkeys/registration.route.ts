import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesName } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { addPasskey } from './add.ts';
import { beginPasskey } from './begin.ts';
import { CreationOptions, NewPasskey, Passkey, toPasskey } from './contract.ts';

export function beginPasskeyRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/passkeys/options',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'beginPasskeyRegistration',
        tags: ['auth'],
        summary: 'Begin to add a passkey',
        description:
          'Only a session that began within the last ten minutes adds passkeys. The challenge is good for this session, five minutes and one passkey.',
        response: answers(CreationOptions, 'What the browser needs.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => ok(await beginPasskey(parts, callerOf(request))),
  );
}

export function addPasskeyRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/passkeys',
    {
      ...takesName,
      bodyLimit: LIMITS.passkeyBody,
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'addPasskey',
        tags: ['auth'],
        summary: 'Add a passkey',
        description:
          'With it the account signs in without its password, and with its password no more alone: a login is answered second_factor_required. So make recovery codes next (POST /api/auth/recovery-codes). An account has 20 passkeys at most. The owner is told by mail.',
        body: NewPasskey,
        response: answers(Passkey, 'The new passkey.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const caller = callerOf(request);
      return ok(toPasskey(await addPasskey(parts, caller, request.body, originOf(request))));
    },
  );
}
