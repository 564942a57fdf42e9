import { Type } from 'typebox';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { newLink } from '../services/links/token.ts';
import { EndedSessions, RandomIdParams, SessionPage, toSession } from '../sessions/contract.ts';
import { AdminUser, AdminUserChange, toAdminUser } from './admin-contract.ts';
import { changeUser } from './change.ts';
import { findUserForAdmin } from './list-for-admins.ts';
import type { AccountParts } from './parts.ts';
import { endUserSessions, listUserSessions, revokeUserSession } from './user-sessions.ts';

/** What admins see of an account, and do to it. */
export function adminRoutes(app: App, { store, sealing, sendsMail, clock }: AccountParts): void {
  app.get(
    '/api/users/:id',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'getUser',
        tags: ['users'],
        summary: 'Read an account',
        description: 'An account as admins see it. For admins only.',
        params: IdParams,
        response: answers(AdminUser, 'The account.', 401, 403, 404),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      return ok(toAdminUser(await store.read(findUserForAdmin, { id, now: clock() })));
    },
  );

  app.put(
    '/api/users/:id',
    {
      config: { access: 'admin', limits: ['mail', 'mail_source'], shows: 'all' },
      ...normalised('email'),
      schema: {
        operationId: 'updateUser',
        tags: ['users'],
        summary: 'Change an account',
        description:
          'Changes the members given. To give a higher role, to enable, to demand a new password or withdraw that, and to change the address takes a sign-in of the last ten minutes. Where the service sends mail, the own address is changed with POST /api/auth/email. The last admin cannot be demoted, disabled or removed. For admins only.',
        params: IdParams,
        body: AdminUserChange,
        response: answers(AdminUser, 'The account as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { role, disabled, must_change_password, email, ...others } = request.body;
      // A member without a verb in changes.ts would be accepted and ignored. It does not compile.
      others satisfies Record<string, never>;
      const link = must_change_password && sendsMail ? newLink(sealing, 'reset_password') : undefined;
      const change = { role, disabled, must_change_password, email, link, sendsMail };
      const about = { id: idIn(request.params, 'user'), ...askedBy(request, clock) };
      return ok(toAdminUser(await store.write(changeUser, { ...change, ...about })));
    },
  );

  app.delete(
    '/api/users/:id/sessions',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'endUserSessions',
        tags: ['users'],
        summary: 'End all sessions of an account',
        description:
          'Ends all sessions of the account, and all personal access tokens. The account may log in again. For admins only.',
        params: IdParams,
        response: answers(EndedSessions, 'How many ended.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      return ok({ ended: await store.write(endUserSessions, { id, ...askedBy(request, clock) }) });
    },
  );

  app.get(
    '/api/users/:id/sessions',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listUserSessions',
        tags: ['users'],
        summary: 'List the sessions of an account',
        description: 'Those that live, newest first. For admins only.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(SessionPage, 'One page of sessions.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const userId = idIn(request.params, 'user');
      const { sessionId } = callerOf(request);
      const query = { ...pageRequest(request.query), userId, now: clock() };
      const page = await store.read(listUserSessions, query);
      return okPage(request, reply, page, (row) => toSession(row, sessionId));
    },
  );

  app.delete(
    '/api/users/:id/sessions/:session_id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeUserSession',
        tags: ['users'],
        summary: 'End a session of an account',
        description:
          'Its tokens are refused from now on. Takes a sign-in of the last ten minutes. For admins only.',
        params: Type.Object({ ...IdParams.properties, session_id: RandomIdParams.properties.id }),
        response: answersEnded(Type.String(), 'session'),
      },
    },
    async (request) => {
      const { session_id: id } = request.params;
      const about = { userId: idIn(request.params, 'user'), id };
      await store.write(revokeUserSession, { ...about, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
