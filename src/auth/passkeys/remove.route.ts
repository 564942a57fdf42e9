import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { RandomIdParams } from '../random-id-contract.ts';
import { removePasskey } from './remove.ts';

export function removePasskeyRoute(
  app: App,
  { store, clock, authenticator, mfaRequired, sendsMail }: AuthParts,
): void {
  const removed = Type.Object({ id: Type.String() });
  app.delete(
    '/api/auth/passkeys/:id',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'removePasskey',
        tags: ['auth'],
        summary: 'Remove a passkey',
        description:
          'Nobody signs in with it from now on. Sessions that began with it go on. With the last second factor go the recovery codes. Only a session that began within the last ten minutes removes one.',
        params: RandomIdParams,
        response: answers(removed, 'The id of the passkey that was.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { id } = request.params;
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(removePasskey, { id, caller, mfaRequired, sendsMail, origin, now });
      authenticator.forget({ key: caller.sessionId });
      return ok({ id });
    },
  );
}
