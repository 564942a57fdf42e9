import type { Origin } from '../../domain/origin.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Db } from '../../store/tables.ts';
import type { EventName } from './events.ts';
import { rowOf, type SecurityEvent } from './row.ts';
import { fillSlot, slotsUnder } from './slots.ts';

/** What an owner may do to the own account without end: nobody who knows the password is slowed or refused. */
const ENDLESS: ReadonlySet<EventName> = new Set([
  'signed_in',
  'signed_out',
  'session_revoked',
  'sessions_ended',
  'account_closed',
  'account_restored',
]);
/** Events of one kind about one account from one source with a row each in an hour; one more row counts the rest. */
const SINGLY = 20;
/** The same from all sources together. */
const ROWS_AN_HOUR = 100;

interface OwnDoing extends SecurityEvent {
  readonly origin: Origin;
  readonly accountId: number;
}

/** Was it the owner, or a sign-in of the owner, in a way that has no end? What another user did has a row each. */
export function isEndless(event: SecurityEvent): event is OwnDoing {
  const { accountId, actorId = accountId, origin } = event;
  return ENDLESS.has(event.event) && origin !== null && accountId !== undefined && actorId === accountId;
}

/**
 * Records an event of an account in a bounded number of rows. From the 21st of an hour on, those of one source are counted
 * in one row. A source that did nothing else in this hour has rows of its own, unless a hundred others had.
 */
export async function recordOwnDoing(db: Db, event: OwnDoing): Promise<void> {
  const { at, origin, accountId } = event;
  const hour = `${Math.floor(at / HOUR_MS)} ${event.event} of ${accountId}`;
  const pair = `${hour} ${origin.source}`;
  // Together, so that they share a round trip on PostgreSQL.
  const [rows, number] = await Promise.all([
    slotsUnder(db, hour, ROWS_AN_HOUR),
    slotsUnder(db, pair, SINGLY),
  ]);
  if (rows < ROWS_AN_HOUR || number === SINGLY) return fillSlot(db, `${pair} ${number}`, rowOf(event));
  const { sessionId: _session, detail: _detail, ...known } = event;
  await fillSlot(db, `${hour} rest`, rowOf({ ...known, origin: null }));
}
