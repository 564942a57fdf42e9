import { Type } from 'typebox';
import { CHANGE_EVENTS } from '../services/changes/tables.ts';
import { EVENT_ID } from './mark.ts';
import { TICKET_SECONDS } from './tickets.ts';

/** As `newTicket` makes it. */
const TICKET = '^[A-Za-z0-9_-]{43}$';

export const EventTicket = Type.Object(
  {
    ticket: Type.String({ pattern: TICKET, description: 'Good for one stream. It is shown this once.' }),
    expires_in: Type.Integer({ description: 'Seconds that the ticket lives.', examples: [TICKET_SECONDS] }),
  },
  { $id: 'EventTicket', description: 'Opens one stream of events.' },
);

export const StreamQuery = Type.Object({
  ticket: Type.Optional(
    Type.String({
      pattern: TICKET,
      description: 'For an EventSource, which sends no token: a ticket of POST /api/events/tickets.',
    }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      pattern: EVENT_ID,
      description:
        'The `id` of the last event that arrived: the stream goes on after it. For an EventSource that begins again with another ticket. The header Last-Event-ID does the same, and is preferred where both are sent.',
    }),
  ),
});

const names = CHANGE_EVENTS.map((name) => `\`${name}\``).join(', ');

/** The answer of the route in the document. It is text, so no schema serialises it. */
export const EventStream = {
  description: 'Server-sent events, until one side ends the stream. Not in the envelope.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        description: `Events with \`id\`, \`event\` and \`data\`. The event is one of ${names}, or \`reset\`. The data is JSON: \`{ event, id, version?, at, by? }\`, where \`id\` is that of the item or the account, and \`by\` is \`{ id }\` of who made the change, for those who may read the versions of the item. \`reset\` is \`{ event }\` only. A comment comes every 15 seconds.`,
      }),
    },
  },
};
