import type { Generated } from 'kysely';
import type { FeatureTables } from '../../store/tables.ts';
import type { EventName } from './events.ts';

declare module '../../store/tables.ts' {
  interface DaysOfSettings {
    readonly auditDays: number;
  }
  interface Tables {
    audit_events: {
      id: Generated<number>;
      at: number;
      event: EventName;
      account_id: number | null;
      actor_id: number | null;
      session_id: string | null;
      address: string | null;
      request_id: string | null;
      detail: string;
      times: Generated<number>;
      slot: string | null;
    };
  }
}

export const auditTables: FeatureTables = {
  carried: ['audit_events'],
  derived: [],
  expires: [{ table: 'audit_events', key: 'id', column: 'at', after: 'auditDays' }],
};
