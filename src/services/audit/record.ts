import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import { isEndless, recordOwnDoing } from './own-doing.ts';
import { type AuditRow, rowOf, type SecurityEvent } from './row.ts';

const insertEvent = statement((db, row: AuditRow) =>
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
 * its event, and no event without its change (decisions 0040). What an owner can do without end has a bounded number of
 * rows (decisions 0068).
 */
export async function recordEvent(db: Db, event: SecurityEvent): Promise<void> {
  if (isEndless(event)) await recordOwnDoing(db, event);
  else await insertEvent(db, rowOf(event));
}
