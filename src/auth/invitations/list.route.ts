import { Type } from 'typebox';
import { answers, ok } from '../../http/envelope.ts';
import { integersIn, linkPages, PageQuery, pageRequest } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { AuthParts } from '../parts.ts';
import { InvitationPage, toInvitation } from './contract.ts';
import { listInvitations } from './list.ts';

export function listInvitationsRoute(app: App, { store, clock }: AuthParts): void {
  app.get(
    '/api/invitations',
    {
      config: { access: 'admin' },
      preValidation: integersIn('query', ['page', 'per_page']),
      schema: {
        operationId: 'listInvitations',
        tags: ['users'],
        summary: 'List invitations',
        description: 'Those of all admins that can still be used, newest first. For admins alone.',
        querystring: Type.Object(PageQuery),
        response: answers(InvitationPage, 'One page of invitations.', 401, 403),
      },
    },
    async (request, reply) => {
      const page = await store.read(listInvitations, { ...pageRequest(request.query), now: clock() });
      linkPages(request, reply, page);
      return ok({ ...page, items: page.items.map(toInvitation) });
    },
  );
}
