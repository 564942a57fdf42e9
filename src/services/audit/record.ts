import type { Origin } from '../../domain/origin.ts';
import { addressOf } from '../../domain/source.ts';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import type { EventName } from './events.ts';

export interface SecurityEvent {
  readonly event: EventName;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null for what was done on the command line, or by the service itself. */
  readonly origin: Origin | null;
  /** The account that the event is about, where it is about one. */
  readonly accountId?: number;
  /** The account that did it, where it was signed in. */
  readonly actorId?: number;
  readonly sessionId?: string;
  /** A few words of ours, such as the old and the new role: never a secret, and nothing that somebody typed. */
  readonly detail?: Readonly<Record<string, string>>;
}

const insertEvent = statement((db, row: ReturnType<typeof rowOf>) =>
  db.insertInto('audit_events').values({
    at: row.at,
    event: row.event,
    account_id: row.account_id,
    actor_id: row.actor_id,
    session_id: row.session_id,
    address: row.address,
    request_id: row.request_id,
    detail: row.detail,
  }),
);

/**
 * Records a security event inside the write that causes it, after its changes: there is no change without
 * its event, and no event without its change (decisions 0040).
 */
export async function recordEvent(db: Db, event: SecurityEvent): Promise<void> {
  await insertEvent(db, rowOf(event));
}

/**
 * Records an event in the row of its slot: the first one makes the row, and each further one is counted there. So the sum of
 * `times` is exact, and the number of rows is bounded by that of the slots.
 */
export async function countEvent(db: Db, slot: string, event: SecurityEvent): Promise<void> {
  await db
    .insertInto('audit_events')
    .values({ ...rowOf(event), slot })
    .onConflict((conflict) =>
      conflict
        .column('slot')
        .where('slot', 'is not', null)
        .doUpdateSet((eb) => ({ times: eb('audit_events.times', '+', 1) })),
    )
    .execute();
}

/** The event as the table has it. */
export function rowOf({ event, at, origin, accountId, actorId, sessionId, detail = {} }: SecurityEvent) {
  return {
    at,
    event,
    account_id: accountId ?? null,
    actor_id: actorId ?? null,
    session_id: sessionId ?? null,
    address: origin && addressOf(origin.address),
    request_id: origin?.requestId ?? null,
    detail: JSON.stringify(detail),
  };
}
