import type { Origin } from '../../domain/origin.ts';
import { addressOf } from '../../domain/source.ts';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import type { EventName } from './events.ts';

export interface SecurityEvent {
  readonly event: EventName;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null for a command, or for the service itself. */
  readonly origin: Origin | null;
  /** The account that the event is about, if any. */
  readonly accountId?: number;
  /** The account that caused it, if signed in. */
  readonly actorId?: number;
  readonly sessionId?: string;
  /** A few words of ours, such as the old and the new role. Never a secret, and nothing that a user typed. */
  readonly detail?: Readonly<Record<string, string>>;
}

/** The row of an event. What is unknown is null, and `detail` is JSON. */
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

const insert = statement((db, row: ReturnType<typeof rowOf> & { readonly slot: string | null }) =>
  db
    .insertInto('audit_events')
    .values({
      at: row.at,
      event: row.event,
      account_id: row.account_id,
      actor_id: row.actor_id,
      session_id: row.session_id,
      address: row.address,
      request_id: row.request_id,
      detail: row.detail,
      slot: row.slot,
    })
    .onConflict((conflict) =>
      conflict
        .column('slot')
        .where('slot', 'is not', null)
        .doUpdateSet((eb) => ({ times: eb('audit_events.times', '+', 1) })),
    ),
);

/** Inserts an event. If another row has the slot, that row counts the event instead. */
export async function insertEvent(db: Db, event: SecurityEvent, slot: string | null = null): Promise<void> {
  await insert(db, { ...rowOf(event), slot });
}
