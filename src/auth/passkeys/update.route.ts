import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import { takesName } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { NewName } from '../personal-token-contract.ts';
import { RandomIdParams } from '../random-id-contract.ts';
import { Passkey, toPasskey } from './contract.ts';
import { updatePasskey } from './update.ts';

export function updatePasskeyRoute(app: App, { store, clock, nameChanges }: AuthParts): void {
  app.put(
    '/api/auth/passkeys/:id',
    {
      ...takesName,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'updatePasskey',
        tags: ['auth'],
        summary: 'Rename a passkey',
        description: 'The name is for its owner; the authenticator keeps the one that it has.',
        params: RandomIdParams,
        body: NewName,
        response: answers(Passkey, 'The passkey as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      nameChanges.spend(String(caller.userId), now);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toPasskey(await store.write(updatePasskey, naming)));
    },
  );
}
