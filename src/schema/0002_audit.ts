import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * The audit trail: security events (docs/decisions/audit-and-sealing.md).
 *
 * - No column refers to another table: an event stays when its account or session is deleted.
 * - `event` has no CHECK. Features add events, and SQLite would have to rebuild the table for each.
 * - `times` is the number of failed sign-ins that the row counts. It is 1 for all other events.
 * - `slot` bounds the rows of failed sign-ins. It is made of hour, source, account and a small number
 *   (services/audit/failed-sign-in.ts). No other event has a slot.
 */
export const audit: Migration = {
  name: '0002_audit',
  effect: OF_FIRST_BUILDS,
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
