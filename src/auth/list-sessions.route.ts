import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { integersIn, linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { listSessions } from './list-sessions.ts';
import type { AuthParts } from './parts.ts';
import { SessionPage, toSession } from './session-contract.ts';

export function listSessionsRoute(app: App, { store, clock }: AuthParts): void {
  app.get(
    '/api/auth/sessions',
    {
      config: { access: 'signed_in' },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listSessions',
        tags: ['auth'],
        summary: 'Where am I signed in?',
        description: 'The sessions of the caller that live, newest first.',
        querystring: Type.Object(PageQuery),
        response: answers(SessionPage, 'One page of sessions.', 401, 403),
      },
    },
    async (request, reply) => {
      const { userId, sessionId } = callerOf(request);
      const page = await store.read(listSessions, { ...pageRequest(request.query), userId, now: clock() });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map((row) => toSession(row, sessionId)) });
    },
  );
}
