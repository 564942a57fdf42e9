import { Type } from 'typebox';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, errorAnswers, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import { okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { EndedSessions, JwkSet, RandomIdParams, Session, SessionPage, toSession } from './contract.ts';
import { listSessions } from './list.ts';
import { NameInput } from './name-contract.ts';
import type { SessionParts } from './parts.ts';
import { clearRefreshCookie } from './refresh-cookie.ts';
import { revokeOtherSessions, revokeSession } from './revoke.ts';
import { endSession } from './session.ts';
import { updateSession } from './update.ts';

export function sessionRoutes(app: App, { store, accessTokens, limits, clock }: SessionParts): void {
  app.post(
    '/api/auth/logout',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing', beforeSetUp: true },
      schema: {
        operationId: 'logout',
        tags: ['auth'],
        summary: 'Log out',
        description:
          'Ends the session of the access token: its tokens are refused from now on. Takes the cookie away where there is one.',
        response: answers(Type.Object({}), 'The session has ended.', 401, ...BODY_FAILURES),
      },
    },
    async (request, reply) => {
      const { sessionId, userId } = callerOf(request);
      await store.write(endSession, { sessionId, userId, now: clock(), origin: originOf(request) });
      clearRefreshCookie(request, reply);
      return ok({});
    },
  );

  app.get(
    '/api/auth/sessions',
    {
      config: { access: 'signed_in', limits: [], shows: 'own' },
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
      return okPage(request, reply, page, (row) => toSession(row, sessionId));
    },
  );

  app.put(
    '/api/auth/sessions/:id',
    {
      ...normalised('name'),
      config: { access: 'signed_in', limits: ['nameChanges'], shows: 'own' },
      schema: {
        operationId: 'updateSession',
        tags: ['auth'],
        summary: 'Name a session',
        description: 'Gives one session of the caller a name of its own, beside what its device tells.',
        params: RandomIdParams,
        body: NameInput,
        response: answers(Session, 'The session as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      limits.spend('nameChanges', caller.userId);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toSession(await store.write(updateSession, naming), caller.sessionId));
    },
  );

  app.delete(
    '/api/auth/sessions/:id',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeSession',
        tags: ['auth'],
        summary: 'End a session',
        description:
          'Ends one session of the caller: its tokens are refused from now on. Personal access tokens stay.',
        params: RandomIdParams,
        response: answersEnded(Type.String(), 'session'),
      },
    },
    async (request) => {
      const { id } = request.params;
      await store.write(revokeSession, { id, ...askedBy(request, clock) });
      return ok({ id });
    },
  );

  app.delete(
    '/api/auth/sessions',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeOtherSessions',
        tags: ['auth'],
        summary: 'End all other sessions',
        description:
          'Ends all sessions of the account but the one that asks, all personal access tokens, and the sign-ins and mailed links that wait, but those links that undo a change of the address: whatever ends all sessions ends these too. Their tokens are refused from now on.',
        response: answers(EndedSessions, 'How many there were.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => ok({ ended: await store.write(revokeOtherSessions, askedBy(request, clock)) }),
  );

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'getKeys',
        tags: ['service'],
        summary: 'The keys that access tokens are signed with',
        description: 'Not in the envelope: a JWK set (RFC 7517), for libraries that check tokens.',
        response: { ...errorAnswers(), 200: JwkSet },
      },
    },
    async (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(accessTokens.jwks),
  );
}
