import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../domain/source.ts';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, errorAnswers, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { beginStream, type Stream } from '../http/streams.ts';
import type { Store } from '../store/store.ts';
import { EventStream, EventTicket, StreamQuery } from './contract.ts';
import type { Opening } from './open.ts';
import type { AcceptedKeys } from './signing-keys.ts';
import { createTicket, hashOfTicket, holderOfTicket, TICKET_SECONDS } from './tickets.ts';

interface LiveParts {
  readonly store: Store;
  readonly keyring: AcceptedKeys;
  readonly opening: Opening;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Changes as they are made, as server-sent events (the HTML standard, 9.2). */
export function liveRoutes(app: App, { store, keyring, opening, clock }: LiveParts): void {
  app.get(
    '/api/events',
    {
      // Its answer has no end, so it is made for GET only.
      exposeHeadRoute: false,
      config: {
        access: 'signed_in',
        limits: [],
        shows: 'moderated',
        programs: 'read',
        ticket: (ticket) =>
          holderOfTicket(store, { ticketHash: hashOfTicket(ticket, keyring), now: clock() }),
      },
      schema: {
        operationId: 'listenToEvents',
        tags: ['events'],
        summary: 'Hear of changes as they are made',
        description:
          'A stream of server-sent events: changes of items and accounts, each for those who may see them. It begins now, or after the event that the header Last-Event-ID or `last_event_id` names; where that is too old, it tells one `reset` and begins now. It ends with the session that opened it. An account may have ten streams: one more ends the oldest.',
        querystring: StreamQuery,
        response: { ...errorAnswers(401, 403, 500, 503), 200: EventStream },
      },
    },
    async (request, reply) => {
      // The stream is text, and not written by the schema.
      const plain: FastifyReply = reply;
      const { userId, sessionId } = callerOf(request);
      const begin = (): Stream => beginStream(request, plain, 'text/event-stream; charset=utf-8');
      const wish = { userId, sessionId, source: sourceOf(request.ip), lastEventId: lastEventIdOf(request) };
      await opening.open(wish, begin);
      return plain;
    },
  );

  app.post(
    '/api/events/tickets',
    {
      config: { access: 'signed_in', limits: [], shows: 'own' },
      schema: {
        operationId: 'createEventTicket',
        tags: ['events'],
        summary: 'Get a ticket for a stream of events',
        description:
          'For an EventSource, which sends no token: GET /api/events?ticket=. A ticket is good for one stream, and for 30 seconds. An account may have 20 that were not used.',
        response: answers(EventTicket, 'The ticket.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const ticket = randomBytes(32).toString('base64url');
      const ticketHash = hashOfTicket(ticket, keyring);
      await store.write(createTicket, { ticketHash, ...askedBy(request, clock) });
      return ok({ ticket, expires_in: TICKET_SECONDS });
    },
  );
}

/** The header is newer than the query, which an EventSource repeats when it comes back. */
function lastEventIdOf({ headers, query }: FastifyRequest): string | undefined {
  const { last_event_id } = Object(query);
  // An empty one says that there was none.
  return headers['last-event-id'] === undefined
    ? last_event_id
    : String(headers['last-event-id']) || undefined;
}
