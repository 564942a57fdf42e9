import type { FastifyReply } from 'fastify';
import { callerOf } from '../http/access.ts';
import { answers } from '../http/envelope.ts';
import { heavyTurn } from '../http/fair-turns.ts';
import { LIMITS } from '../http/limits.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { holdBytes } from '../http/under-way.ts';
import { accountExport } from './contract.ts';
import { beginExport, exportStream } from './export.ts';
import type { PersonalDataParts } from './parts.ts';

/** What an export under way has in memory at most: a page of items, and as much of it as JSON. */
const HELD = 4 * 1024 * 1024;

export function exportRoute(app: App, { store, sections, clock }: PersonalDataParts): void {
  app.get(
    '/api/users/me/export',
    {
      // The document is made as it leaves: for its head alone, all of it would be made.
      exposeHeadRoute: false,
      config: { access: 'signed_in' },
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
      const { userId, sessionId } = callerOf(request);
      const now = clock();
      holdBytes(request, HELD);
      const asked = { caller: { userId, sessionId }, now, origin: originOf(request) };
      const account = await store.write(beginExport, asked);
      // A client that takes nothing for so long is hung up on, and with it goes what the export holds.
      request.raw.socket.setTimeout(LIMITS.unreadTimeout);
      // The document is written as it is read, and not by the schema.
      const plain: FastifyReply = reply;
      plain.type('application/json; charset=utf-8');
      const turn = () => heavyTurn(request);
      return plain.send(exportStream(store, sections, { userId, account, now, turn }));
    },
  );
}
