import { Type } from 'typebox';
import type { RegistrationMode } from '../domain/account.ts';
import { noMail } from '../domain/failure.ts';
import { askedBy } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { newLink } from '../services/links/token.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { Invitation, InvitationInput, InvitationPage, toInvitation } from './contract.ts';
import { createInvitation } from './create.ts';
import { registrationClosed } from './entry.ts';
import { listInvitations } from './list.ts';
import { revokeInvitation } from './revoke.ts';

interface InvitationParts extends Pick<SessionParts, 'store' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly registration: RegistrationMode;
}

/** Inviting people. */
export function invitationRoutes(app: App, parts: InvitationParts): void {
  const { store, sealing, sendsMail, registration, clock } = parts;

  app.post(
    '/api/invitations',
    {
      ...normalised('email'),
      config: { access: 'admin', limits: ['mail', 'mail_source'], shows: 'all' },
      schema: {
        operationId: 'createInvitation',
        tags: ['users'],
        summary: 'Invite somebody by mail',
        description:
          'For admins only. The link works once, within seven days, and as long as who invited is an admin. It takes the place of an earlier one to the address. Asks for a sign-in of the last ten minutes.',
        body: InvitationInput,
        response: answers(Invitation, 'The mail is on its way.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { email, role } = request.body;
      if (registration === 'closed') throw registrationClosed();
      if (!sendsMail) throw noMail('This service sends no mail, so it cannot invite anybody.');
      const invitee = { email, role, link: newLink(sealing, 'invite') };
      return ok(
        toInvitation(await store.write(createInvitation, { ...invitee, ...askedBy(request, clock) })),
      );
    },
  );

  app.get(
    '/api/invitations',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listInvitations',
        tags: ['users'],
        summary: 'List invitations',
        description: 'Those of all admins that can still be used, newest first. For admins only.',
        querystring: Type.Object(PageQuery),
        response: answers(InvitationPage, 'One page of invitations.', 401, 403),
      },
    },
    async (request, reply) => {
      const page = await store.read(listInvitations, { ...pageRequest(request.query), now: clock() });
      return okPage(request, reply, page, toInvitation);
    },
  );

  app.delete(
    '/api/invitations/:id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeInvitation',
        tags: ['users'],
        summary: 'Take an invitation back',
        description: 'For admins only, also for the invitations of others.',
        params: IdParams,
        response: answersEnded(Type.Integer(), 'invitation'),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'invitation');
      await store.write(revokeInvitation, { id, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
