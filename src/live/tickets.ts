import type { Caller } from '../domain/account.ts';
import { tokenInvalid, tokenRevoked, tooManyRequests } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { type CallerInput, ownAccountWrite } from '../sessions/caller-write.ts';
import { findCallers } from '../sessions/session.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { hasRows } from '../store/pages.ts';
import type { Store } from '../store/store.ts';
import { type AcceptedKeys, idsOf } from './signing-keys.ts';

/** Seconds that a ticket is good for. A page uses it at once. */
export const TICKET_SECONDS = 30;

/**
 * What the database has of a ticket. The keys are part of it, so a ticket of before is unknown once a key is removed, and
 * once one is added: its page gets a new ticket.
 */
export function hashOfTicket(ticket: string, keyring: AcceptedKeys): string {
  return hashOfToken([ticket, ...idsOf(keyring)].join(' '));
}

interface NewTicket extends CallerInput {
  /** `hashOfTicket`. */
  readonly ticketHash: string;
}

/** Keeps a ticket for the session of the caller. Fails with `too_many_requests` where its account has too many. */
export const createTicket = ownAccountWrite(
  'live.create_ticket',
  async (db, { ticketHash, now }: NewTicket, { userId, sessionId }): Promise<void> => {
    const living = db
      .selectFrom('event_tickets')
      .select('ticket_hash')
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('expires_at');
    if (await hasRows(living, ROW_LIMITS.eventTickets))
      throw tooManyRequests('Your account has too many tickets that were not used.', TICKET_SECONDS);
    const ticket = { ticket_hash: ticketHash, user_id: userId, session_id: sessionId };
    await db
      .insertInto('event_tickets')
      .values({ ...ticket, expires_at: now + TICKET_SECONDS * 1_000 })
      .execute();
  },
);

interface Use {
  readonly ticketHash: string;
  readonly now: number;
}

/** Is there such a ticket? Anybody can invent tickets, and those cost no write. */
export const hasTicket = readOperation(
  'live.has_ticket',
  async (db, ticketHash: string): Promise<boolean> => {
    const ticket = db.selectFrom('event_tickets').select('ticket_hash').where('ticket_hash', '=', ticketHash);
    return (await ticket.executeTakeFirst()) !== undefined;
  },
);

/**
 * Uses a ticket up. Returns the id of its session, or null where somebody was quicker, or it is too old. Of several uses
 * at once, on any instance, one succeeds.
 */
export const useTicket = writeOperation(
  'live.use_ticket',
  async (db, { ticketHash, now }: Use): Promise<string | null> => {
    const used = await db
      .deleteFrom('event_tickets')
      .where('ticket_hash', '=', ticketHash)
      .where('expires_at', '>', now)
      .returning('session_id')
      .executeTakeFirst();
    return used?.session_id ?? null;
  },
  // The ticket of a session, as those that ask have found: it names no account.
  { askerOf: ({ ticketHash }) => ({ name: `ticket ${ticketHash}`, isSignedIn: true }) },
);

/** The caller whose ticket this is, used once. Fails with `token_invalid`, or `token_revoked` if its session ended. */
export async function holderOfTicket(store: Store, { ticketHash, now }: Use): Promise<Caller> {
  const isKnown = await store.read(hasTicket, ticketHash);
  const sessionId = isKnown ? await store.write(useTicket, { ticketHash, now }) : null;
  if (sessionId === null)
    throw tokenInvalid('This ticket was used, or is older than 30 seconds; get a new one.');
  const [caller] = await store.read(findCallers, { sessionIds: [sessionId], now });
  if (!caller) throw tokenRevoked();
  return caller;
}
