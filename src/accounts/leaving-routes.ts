import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { askedBy } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { LIMITS } from '../http/limits.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { heavyTurn, holdBytes } from '../http/under-way.ts';
import { closeOwnAccount, removeUser } from './close.ts';
import { accountExport, Closed, RemovalQuery } from './contract.ts';
import { beginExport, exportStream } from './export.ts';
import type { AccountParts } from './parts.ts';

/** What an export under way has in memory at most: a page of items, and as much of it as JSON. */
const HELD = 4 * 1024 * 1024;

/** The export, the closing and the removal of an account. */
export function leavingRoutes(app: App, parts: AccountParts): void {
  const { store, sections, graceMs, sendsMail, clock } = parts;

  app.get(
    '/api/users/me/export',
    {
      // The document is made as it leaves: for its head alone, all of it would be made.
      exposeHeadRoute: false,
      config: { access: 'signed_in', limits: ['export'], shows: 'own' },
      schema: {
        operationId: 'exportAccount',
        tags: ['users'],
        summary: 'Everything about the own account',
        description:
          'One document, without secrets, made while it is read: HEAD is not answered. Takes a sign-in of the last ten minutes. An account may ask ten times an hour.',
        response: answers(accountExport(sections), 'The document.', 401, 403),
      },
    },
    async (request, reply) => {
      const asked = askedBy(request, clock);
      holdBytes(request, HELD);
      const account = await store.write(beginExport, asked);
      // A client that takes nothing for this long is hung up on, which frees what the export holds.
      request.raw.socket.setTimeout(LIMITS.unreadTimeout);
      // The document is written as it is read, and not by the schema.
      const plain: FastifyReply = reply;
      plain.type('application/json; charset=utf-8');
      const { caller, now } = asked;
      const turn = () => heavyTurn(request);
      return plain.send(exportStream(store, sections, { userId: caller.userId, account, now, turn }));
    },
  );

  app.delete(
    '/api/users/me',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'closeAccount',
        tags: ['users'],
        summary: 'Close and remove the own account',
        description:
          'Takes a sign-in of the last ten minutes. The account is closed at once, which ends all sessions and personal access tokens, and removed after the days of the setting DELETION_DAYS. Until then POST /api/auth/restore takes it back. The owner is told by mail.',
        querystring: RemovalQuery,
        response: answers(Closed, 'When the account is removed.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { content = 'keep' } = request.query;
      const asked = askedBy(request, clock);
      const closesAt = asked.now + graceMs;
      await store.write(closeOwnAccount, { content, closesAt, sendsMail, ...asked });
      return ok({ removed_at: isoTime(closesAt) });
    },
  );

  app.delete(
    '/api/users/:id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'removeUser',
        tags: ['users'],
        summary: 'Remove an account',
        description:
          'At once and for good: its owner cannot take it back, and it is 404 here and in no list. What it wrote shows its name until a job has handed it over or deleted it. Takes a sign-in of the last ten minutes. The last admin cannot be demoted, disabled or removed. For admins only.',
        params: IdParams,
        querystring: RemovalQuery,
        response: answersEnded(Type.Integer({ minimum: 1 }), 'account'),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'user');
      const { content = 'keep' } = request.query;
      await store.write(removeUser, { id, content, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
