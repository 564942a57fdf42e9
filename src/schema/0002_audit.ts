import type { Migration } from '../store/migration.ts';

/**
 * The audit trail: what happened that concerns security (decisions 0040).
 *
 * - No column refers to another table: an event stays when its account or session is gone.
 * - `event` has no CHECK. Features add events, and SQLite would have to make the table anew for each.
 * - `times` is how many failed sign-ins the row stands for; it is 1 for all other events.
 * - `slot` bounds the rows of failed sign-ins: it is made of hour, source, account and a small number
 *   (services/audit/failed-sign-in.ts). No other event has a slot.
 */
export const audit: Migration = {
  name: '0002_audit',
  statements: ({ id, integer, key, tableOptions }) => [
    `CREATE TABLE audit_events (
      id ${id},
      at ${integer} NOT NULL,
      event ${key} NOT NULL,
      account_id ${integer},
      actor_id ${integer},
      session_id TEXT,
      address TEXT,
      request_id TEXT,
      detail TEXT NOT NULL,
      times ${integer} NOT NULL DEFAULT 1,
      slot ${key}
    )${tableOptions}`,
    'CREATE INDEX audit_events_at ON audit_events (at)',
    'CREATE INDEX audit_events_event ON audit_events (event, id)',
    'CREATE INDEX audit_events_account ON audit_events (account_id, id) WHERE account_id IS NOT NULL',
    'CREATE UNIQUE INDEX audit_events_slot ON audit_events (slot) WHERE slot IS NOT NULL',
  ],
};
