import { adminWrite } from '../accounts/admin-write.ts';
import { notFound } from '../domain/failure.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';
import type { Db, Tables } from '../store/tables.ts';
import { isUnclaimed } from './claim.ts';
import { endHold, findWebhook, lockWebhook } from './find.ts';
import { newDelivery, testMessage } from './messages.ts';
import { recordAsked } from './record.ts';

type Row = Tables['webhook_deliveries'];
type Shown = 'message_id' | 'event' | 'status' | 'attempts' | 'status_code' | 'error';
type Times = 'made_at' | 'last_attempt_at' | 'next_attempt_at';
export type DeliveryRow = Pick<Row, Shown | Times> & { readonly id: number };

function deliveriesOf(db: Db, webhookId: number) {
  return db
    .selectFrom('webhook_deliveries')
    .select(['id', 'message_id', 'event', 'status', 'attempts', 'status_code', 'error'])
    .select(['made_at', 'last_attempt_at', 'next_attempt_at'])
    .where('webhook_id', '=', webhookId);
}

/** Newest first. Fails with `not_found`. */
export const listDeliveries = readOperation(
  'webhooks.list_deliveries',
  async (db, query: PageRequest & { readonly id: number }, engine): Promise<Page<DeliveryRow>> => {
    await findWebhook.run(db, query.id, engine);
    return pageOf(deliveriesOf(db, query.id).orderBy('id', 'desc'), query);
  },
  () => true,
);

/**
 * Queues a test, which is sent once, also while the webhook is paused or its endpoint asked to wait. Fails with `not_found`
 * and `forbidden`.
 */
export const testWebhook = adminWrite(
  'webhooks.test',
  async (db, input: Asked & { readonly id: number }, caller): Promise<DeliveryRow> => {
    const { id, now } = input;
    await lockWebhook(db, id);
    await endHold(db, id);
    const made = await db
      .insertInto('webhook_deliveries')
      .values(newDelivery(id, testMessage(id, now), now))
      .returning('id')
      .executeTakeFirstOrThrow();
    await recordAsked(db, 'webhook_tested', { id, asked: input, caller });
    return deliveryOf(db, id, made.id);
  },
);

/**
 * Sends a delivery once more, with the same id of its message, also where its endpoint asked to wait. Fails with `not_found`
 * and `forbidden`.
 */
export const redeliver = adminWrite(
  'webhooks.redeliver',
  async (
    db,
    input: Asked & { readonly id: number; readonly deliveryId: number },
    caller,
  ): Promise<DeliveryRow> => {
    const { id, deliveryId, now } = input;
    await lockWebhook(db, id);
    const queued = await db
      .updateTable('webhook_deliveries')
      .set({ status: 'waiting', attempts: 0, first_attempt_at: null })
      .set({ next_attempt_at: now, claimed_until: null })
      .where('id', '=', deliveryId)
      .where('webhook_id', '=', id)
      .where(isUnclaimed(now))
      .returning('id')
      .executeTakeFirst();
    const delivery = await deliveryOf(db, id, deliveryId);
    // One that is sent now stays as it is.
    if (!queued) return delivery;
    await endHold(db, id);
    const detail = { delivery: String(deliveryId) };
    await recordAsked(db, 'webhook_redelivered', { id, asked: input, caller }, detail);
    return delivery;
  },
);

async function deliveryOf(db: Db, webhookId: number, id: number): Promise<DeliveryRow> {
  const row = await deliveriesOf(db, webhookId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('delivery');
  return row;
}
