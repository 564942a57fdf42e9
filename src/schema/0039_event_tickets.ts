import type { Migration } from '../store/migration.ts';

/**
 * Tickets that open a stream of events once (src/live/tickets.ts). `ticket_hash` is the SHA-256 of 256 random bits. A
 * ticket has the rights of the session that asked for it, and ends with that session.
 */
export const eventTickets: Migration = {
  name: '0039_event_tickets',
  effect: {
    does: 'Makes the table of tickets for live events.',
    stops: { users: 'writes', sessions: 'writes' },
  },
  statements: ({ integer, key, tableOptions }) => [
    `CREATE TABLE event_tickets (
      ticket_hash ${key} NOT NULL PRIMARY KEY,
      user_id ${integer} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      session_id ${key} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      expires_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX event_tickets_user ON event_tickets (user_id)',
    'CREATE INDEX event_tickets_session ON event_tickets (session_id)',
    'CREATE INDEX event_tickets_expiry ON event_tickets (expires_at)',
  ],
};
