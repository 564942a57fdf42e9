import { callerOf } from '../../http/access.ts';
import { answers, ok } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { PasskeyList, toPasskey } from './contract.ts';
import { listPasskeys } from './list.ts';

export function listPasskeysRoute(app: App, { store }: AuthParts): void {
  app.get(
    '/api/auth/passkeys',
    {
      config: { access: 'signed_in', withoutSecondFactor: true },
      schema: {
        operationId: 'listPasskeys',
        tags: ['auth'],
        summary: 'List the own passkeys',
        response: answers(PasskeyList, 'All of them, newest first.', 401),
      },
    },
    async (request) => {
      const { userId } = callerOf(request);
      return ok({ items: (await store.read(listPasskeys, { userId })).map(toPasskey) });
    },
  );
}
