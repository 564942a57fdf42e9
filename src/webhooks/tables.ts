import type { Generated } from 'kysely';
import { DAY_MS } from '../domain/time.ts';
import type { FeatureTables } from '../store/tables.ts';

export const PAUSED_BECAUSE = ['admin', 'failing', 'gone'] as const;
export type PausedBecause = (typeof PAUSED_BECAUSE)[number];
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** How long a delivery is in the log, and how many there are. Those that wait are never removed. */
const LOGGED_MS = 7 * DAY_MS;
const MOST_LOGGED = 100_000;

declare module '../store/tables.ts' {
  interface Tables {
    webhooks: {
      id: Generated<number>;
      url: string;
      events: string;
      description: string;
      created_at: number;
      paused_at: number | null;
      paused_because: PausedBecause | null;
      not_before: number | null;
    };
    webhook_secrets: { id: string; webhook_id: number; secret_sealed: string; ends_at: number | null };
    webhook_deliveries: {
      id: Generated<number>;
      webhook_id: number;
      message_id: string;
      event: string;
      subject: string;
      payload: string;
      made_at: number;
      status: DeliveryStatus;
      attempts: number;
      first_attempt_at: number | null;
      last_attempt_at: number | null;
      next_attempt_at: number | null;
      claimed_until: number | null;
      status_code: number | null;
      error: string | null;
    };
  }
}

export const webhookTables: FeatureTables = {
  carried: ['webhooks', 'webhook_secrets', 'webhook_deliveries'],
  derived: [],
  sealed: [{ table: 'webhook_secrets', row: 'id', column: 'secret_sealed' }],
  expires: [
    { table: 'webhook_secrets', key: 'id', column: 'ends_at', after: 0 },
    {
      table: 'webhook_deliveries',
      key: 'id',
      column: 'made_at',
      after: LOGGED_MS,
      unset: 'next_attempt_at',
      most: MOST_LOGGED,
    },
  ],
};
