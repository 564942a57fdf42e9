import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { takesName } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { NewName, PersonalToken, toPersonalToken } from './personal-token-contract.ts';
import { RandomIdParams } from './random-id-contract.ts';
import { updatePersonalToken } from './update-personal-token.ts';

export function updatePersonalTokenRoute(app: App, { store, clock, nameChanges }: AuthParts): void {
  app.put(
    '/api/auth/tokens/:id',
    {
      ...takesName,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'updatePersonalToken',
        tags: ['auth'],
        summary: 'Rename a personal access token',
        description: 'Its scope and its end stay as they are.',
        params: RandomIdParams,
        body: NewName,
        response: answers(
          PersonalToken,
          'The token as it is now, without the secret.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      nameChanges.spend(String(caller.userId), now);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toPersonalToken(await store.write(updatePersonalToken, naming)));
    },
  );
}
