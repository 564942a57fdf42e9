import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { takesName } from './contract.ts';
import type { AuthParts } from './parts.ts';
import { NewName } from './personal-token-contract.ts';
import { RandomIdParams } from './random-id-contract.ts';
import { Session, toSession } from './session-contract.ts';
import { updateSession } from './update-session.ts';

export function updateSessionRoute(app: App, { store, clock, nameChanges }: AuthParts): void {
  app.put(
    '/api/auth/sessions/:id',
    {
      ...takesName,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'updateSession',
        tags: ['auth'],
        summary: 'Name a session',
        description: 'Gives one session of the caller a name of its own, beside what its device tells.',
        params: RandomIdParams,
        body: NewName,
        response: answers(Session, 'The session as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      nameChanges.spend(String(caller.userId), now);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toSession(await store.write(updateSession, naming), caller.sessionId));
    },
  );
}
