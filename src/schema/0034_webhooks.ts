import type { Migration } from '../store/migration.ts';

/**
 * Webhooks (docs/decisions/changes.md).
 *
 * - `events` is a JSON array of names, or of "*".
 * - `not_before` is when the endpoint wants the next request, from its Retry-After.
 * - A secret has a row of its own with a random id, because it is sealed to its row before the row exists. `ends_at` is
 *   NULL for the current one. An earlier one signs too until then.
 * - `subject` is the item or the account of a delivery. Deliveries of one subject are sent in the order of their ids.
 * - `next_attempt_at` is NULL once a delivery is finished. A claim postpones it before the attempt itself.
 * - `claimed_until` is set while an instance sends the delivery.
 * - `status_code` and `error` tell of the last attempt.
 */
export const webhooks: Migration = {
  name: '0034_webhooks',
  effect: { does: 'Makes the tables of webhooks.' },
  statements: ({ id, integer, key, tableOptions }) => [
    `CREATE TABLE webhooks (
      id ${id},
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      paused_at ${integer},
      paused_because TEXT CHECK (paused_because IN ('admin', 'failing', 'gone')),
      not_before ${integer}
    )${tableOptions}`,
    `CREATE TABLE webhook_secrets (
      id ${key} NOT NULL PRIMARY KEY,
      webhook_id ${integer} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      secret_sealed TEXT NOT NULL,
      ends_at ${integer}
    )${tableOptions}`,
    'CREATE INDEX webhook_secrets_webhook ON webhook_secrets (webhook_id)',
    'CREATE INDEX webhook_secrets_ends ON webhook_secrets (ends_at)',
    `CREATE TABLE webhook_deliveries (
      id ${id},
      webhook_id ${integer} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      message_id TEXT NOT NULL,
      event TEXT NOT NULL,
      subject ${key} NOT NULL,
      payload TEXT NOT NULL,
      made_at ${integer} NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')),
      attempts ${integer} NOT NULL,
      first_attempt_at ${integer},
      last_attempt_at ${integer},
      next_attempt_at ${integer},
      claimed_until ${integer},
      status_code ${integer},
      error TEXT
    )${tableOptions}`,
    'CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id)',
    'CREATE INDEX webhook_deliveries_made ON webhook_deliveries (made_at)',
    `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at)
      WHERE next_attempt_at IS NOT NULL`,
    `CREATE INDEX webhook_deliveries_order ON webhook_deliveries (webhook_id, subject, id)
      WHERE next_attempt_at IS NOT NULL`,
  ],
};
