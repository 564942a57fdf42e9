import type { By } from '../../domain/by.ts';
import { ROW_LIMITS } from '../../domain/limits.ts';
import type { Origin } from '../../domain/origin.ts';
import type { Db } from '../../store/tables.ts';
import type { EventName } from './events.ts';
import { insertEvent, type SecurityEvent } from './row.ts';
import { recordBounded } from './slots.ts';

/** What an owner can do without end to the own account, because no right password is slowed or refused. */
const ENDLESS: ReadonlySet<EventName> = new Set([
  'signed_in',
  'proof_accepted',
  'signed_out',
  'session_revoked',
  'sessions_ended',
  'account_closed',
  'account_restored',
  'token_reused',
]);

/**
 * Records a security event inside the write that causes it, after its changes. So no change lacks its event, and no
 * event lacks its change (docs/decisions/audit-and-sealing.md). Events that an owner can cause without end have a
 * bounded number of rows.
 */
export async function recordEvent(db: Db, event: SecurityEvent): Promise<void> {
  if (!isEndless(event)) return insertEvent(db, event);
  const { origin, accountId } = event;
  // The row that counts the events of all other sources has no source and no session.
  const { sessionId: _session, detail: _detail, ...known } = event;
  const bound = { kind: `${event.event} of ${accountId}`, who: origin.source, most: ROW_LIMITS.ownDoings };
  await recordBounded(db, event, bound, { ...known, origin: null });
}

interface OwnDoing extends SecurityEvent {
  readonly origin: Origin;
  readonly accountId: number;
}

/** True for acts of the owner that have no other bound. What another user did always has a row of its own. */
function isEndless(event: SecurityEvent): event is OwnDoing {
  const { accountId, actorId = accountId, origin } = event;
  return ENDLESS.has(event.event) && origin !== null && accountId !== undefined && actorId === accountId;
}

/** The same for a change of an account, by its owner, by an admin or by an operator. */
export function recordChange(
  db: Db,
  event: EventName,
  accountId: number,
  { now, origin, actor }: By,
  detail?: SecurityEvent['detail'],
): Promise<void> {
  return recordEvent(db, { event, at: now, origin, accountId, ...actor, ...(detail && { detail }) });
}
