import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { AuditPage, AuditQuery, toAuditEvent } from './contract.ts';
import { listEvents } from './list.ts';

export function listAuditRoute(app: App, store: Store): void {
  app.get(
    '/api/audit',
    {
      config: { access: 'admin' },
      preValidation: integersIn('query', ['page', 'per_page', 'account']),
      schema: {
        operationId: 'listAuditEvents',
        tags: ['audit'],
        summary: 'What happened that concerns security',
        description: 'The audit trail, newest first. For admins alone.',
        querystring: AuditQuery,
        response: answers(AuditPage, 'One page of events.', 400, 401, 403),
      },
    },
    async (request, reply) => {
      const { event, account, ...paging } = request.query;
      const page = await store.read(listEvents, { ...pageRequest(paging), event, account });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toAuditEvent) });
    },
  );
}
