import { askerOf, callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';
import { listEvents } from './list.ts';
import { OwnEventPage, OwnEventQuery, toOwnEvent } from './own-contract.ts';

export function ownEventsRoute(app: App, { store, searches }: { store: Store; searches: Searches }): void {
  app.get(
    '/api/auth/events',
    {
      config: { access: 'signed_in' },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listOwnEvents',
        tags: ['audit'],
        summary: 'What happened to my account',
        description: 'The part of the audit trail that is about the account of the caller, newest first.',
        querystring: OwnEventQuery,
        response: answers(OwnEventPage, 'One page of events.', 401, 403),
      },
    },
    async (request, reply) => {
      const { event, ...paging } = request.query;
      const { userId } = callerOf(request);
      const query = { ...pageRequest(paging), event, account: userId };
      const page = await searches.run(await askerOf(request), () => store.read(listEvents, query));
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map((row) => toOwnEvent(row, userId)) });
    },
  );
}
