import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { normaliseMembers } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { Budget } from '../services/throttle/budget.ts';
import { Me, MeChange, toMe } from './me-contract.ts';
import type { UsersParts } from './parts.ts';
import { partsOf, updateMe } from './update-me.ts';

export function updateMeRoute(
  app: App,
  { store, changes, clock }: UsersParts & { readonly changes: Budget },
): void {
  app.put(
    '/api/users/me',
    {
      bodyLimit: LIMITS.profileBody,
      preValidation: async (request) => normaliseMembers(request.body, ['username', 'display_name']),
      config: { access: 'signed_in' },
      schema: {
        operationId: 'updateMe',
        tags: ['users'],
        summary: 'Change my account',
        description:
          'Changes the members that are given. Another user name asks for a sign-in of the last ten minutes. The name that is given up stays reserved for 30 days: nobody else gets it, and its former owner may take it back.',
        body: MeChange,
        response: answers(Me, 'The account as it is now.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const [now, origin] = [clock(), originOf(request)];
      changes.spend(String(userId), now);
      const change = { ...partsOf(request.body), caller: { userId, sessionId }, now, origin };
      return ok(toMe(await store.write(updateMe, change)));
    },
  );
}
