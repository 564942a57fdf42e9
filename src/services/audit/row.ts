import type { Origin } from '../../domain/origin.ts';
import { addressOf } from '../../domain/source.ts';
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

export type AuditRow = ReturnType<typeof rowOf>;

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
