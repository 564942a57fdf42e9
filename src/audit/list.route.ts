import { askerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { timeIn } from '../http/time-query.ts';
import type { Searches } from '../services/searches/searches.ts';
import type { Store } from '../store/store.ts';
import { AuditPage, AuditQuery, toAuditEvent } from './contract.ts';
import { listEvents } from './list.ts';

export function listAuditRoute(app: App, { store, searches }: { store: Store; searches: Searches }): void {
  app.get(
    '/api/audit',
    {
      config: { access: 'admin' },
      preValidation: integersIn('query', ['page', 'per_page', 'account', 'actor']),
      schema: {
        operationId: 'listAuditEvents',
        tags: ['audit'],
        summary: 'What happened that concerns security',
        description: 'The audit trail, newest first. For admins alone.',
        querystring: AuditQuery,
        response: answers(AuditPage, 'One page of events.', 401, 403),
      },
    },
    async (request, reply) => {
      const { event, account, actor, address, since, until, ...paging } = request.query;
      const query = {
        ...pageRequest(paging),
        ...{ event, account, actor, address },
        since: timeIn(since),
        until: timeIn(until),
      };
      const page = await searches.run(await askerOf(request), () => store.read(listEvents, query));
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toAuditEvent) });
    },
  );
}
