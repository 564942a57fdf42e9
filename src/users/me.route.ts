import { callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { findUser } from './me.ts';
import { Me, toMe } from './me-contract.ts';
import type { UsersParts } from './parts.ts';

export function meRoute(app: App, { store, clock }: Pick<UsersParts, 'store' | 'clock'>): void {
  app.get(
    '/api/users/me',
    {
      config: { access: 'signed_in', programs: 'read', withoutSecondFactor: true },
      schema: {
        operationId: 'getMe',
        tags: ['users'],
        summary: 'Who am I?',
        description: 'The account behind the access token, with its role.',
        response: answers(Me, 'The account.', 401),
      },
    },
    async (request) => {
      const { userId: id } = callerOf(request);
      return ok(toMe(await store.read(findUser, { id, now: clock() })));
    },
  );
}
