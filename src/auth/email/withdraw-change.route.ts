import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { takesCredentials } from '../contract.ts';
import type { AuthParts } from '../parts.ts';
import { withdrawEmailChange } from './withdraw-change.ts';

export function withdrawEmailChangeRoute(app: App, { store, clock }: AuthParts): void {
  app.delete(
    '/api/auth/email/change',
    {
      ...takesCredentials,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'withdrawEmailChange',
        tags: ['auth'],
        summary: 'Withdraw a change of the e-mail address',
        description:
          'Ends the change that waits: the links that were mailed to the new address are of no use any more.',
        response: answers(Type.Object({}), 'The account keeps its address.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(withdrawEmailChange, { caller, origin, now });
      return ok({});
    },
  );
}
