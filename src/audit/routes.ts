import type { FairQueue } from '../domain/admission/fair-queue.ts';
import type { Cursors } from '../domain/cursors.ts';
import { askerOf, callerOf } from '../http/access.ts';
import { answers } from '../http/envelope.ts';
import { okPage, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { timeIn } from '../http/time-query.ts';
import { okWalk, walkRequest } from '../http/walking.ts';
import type { Store } from '../store/store.ts';
import { AuditPage, AuditQuery, OwnEventPage, OwnEventQuery, toAuditEvent, toOwnEvent } from './contract.ts';
import { listEvents, walkEvents } from './list.ts';

interface AuditParts {
  readonly store: Store;
  readonly searches: FairQueue;
  readonly cursors: Cursors;
}

/** The audit trail: its list for admins, and its part for each account. */
export function auditRoutes(app: App, { store, searches, cursors }: AuditParts): void {
  app.get(
    '/api/audit',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listAuditEvents',
        tags: ['audit'],
        summary: 'What happened that concerns security',
        description: 'The audit trail, newest first. For admins only.',
        querystring: AuditQuery,
        response: answers(AuditPage, 'One page of events.', 401, 403),
      },
    },
    async (request, reply) => {
      const { since, until, ...asked } = request.query;
      const query = { ...asked, ...pageRequest(asked), since: timeIn(since), until: timeIn(until) };
      const walk = walkRequest(request, cursors);
      const asker = await askerOf(request);
      if (walk) {
        const step = await searches.run(asker, () => store.read(walkEvents, { ...query, ...walk }));
        return okWalk(request, reply, cursors, step, toAuditEvent);
      }
      const page = await searches.run(asker, () => store.read(listEvents, query));
      return okPage(request, reply, page, toAuditEvent);
    },
  );

  app.get(
    '/api/auth/events',
    {
      config: { access: 'signed_in', limits: [], shows: 'own' },
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
      const { userId } = callerOf(request);
      const query = { ...pageRequest(request.query), event: request.query.event, account: userId };
      const page = await searches.run(await askerOf(request), () => store.read(listEvents, query));
      return okPage(request, reply, page, (row) => toOwnEvent(row, userId));
    },
  );
}
