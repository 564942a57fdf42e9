import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    event_tickets: { ticket_hash: string; user_id: number; session_id: string; expires_at: number };
  }
}

export const liveTables: FeatureTables = {
  carried: ['event_tickets'],
  derived: [],
  expires: [{ table: 'event_tickets', key: 'ticket_hash', column: 'expires_at', after: 0 }],
};
