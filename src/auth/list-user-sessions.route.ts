import { Type } from 'typebox';
import { callerOf } from '../http/access.ts';
import { answers, ok } from '../http/envelope.ts';
import { IdParams, idIn, integersIn, linkPages, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { listUserSessions } from './list-sessions.ts';
import type { AuthParts } from './parts.ts';
import { SessionPage, toSession } from './session-contract.ts';

export function listUserSessionsRoute(app: App, { store, clock }: AuthParts): void {
  app.get(
    '/api/users/:id/sessions',
    {
      config: { access: 'admin' },
      preValidation: [integersIn('params', ['id']), integersIn('query', ['page', 'per_page'])],
      schema: {
        operationId: 'listUserSessions',
        tags: ['users'],
        summary: 'List the sessions of an account',
        description: 'Those that live, newest first. For admins alone.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(SessionPage, 'One page of sessions.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const userId = idIn(request.params, 'user');
      const query = { ...pageRequest(request.query), userId, now: clock() };
      const page = await store.read(listUserSessions, query);
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map((row) => toSession(row, callerOf(request).sessionId)) });
    },
  );
}
