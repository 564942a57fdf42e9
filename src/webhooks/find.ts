import { notFound } from '../domain/failure.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';
import type { Db, Tables } from '../store/tables.ts';

type Row = Tables['webhooks'];
export type WebhookRow = Omit<Row, 'id'> & { readonly id: number };

const COLUMNS = [
  'id',
  'url',
  'events',
  'description',
  'created_at',
  'paused_at',
  'paused_because',
  'not_before',
] as const;

/** The webhook, locked until the end of the write. Fails with `not_found`. */
export async function lockWebhook(db: Db, id: number): Promise<WebhookRow> {
  const row = await db
    .selectFrom('webhooks')
    .select(COLUMNS)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound('webhook');
  return row;
}

/** Lets a webhook send before the time that its endpoint asked for: an admin wants to see what it answers now. */
export async function endHold(db: Db, id: number): Promise<void> {
  await db.updateTable('webhooks').set({ not_before: null }).where('id', '=', id).execute();
}

export const findWebhook = readOperation('webhooks.find', async (db, id: number): Promise<WebhookRow> => {
  const row = await db.selectFrom('webhooks').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('webhook');
  return row;
});

export const listWebhooks = readOperation(
  'webhooks.list',
  (db, request: PageRequest): Promise<Page<WebhookRow>> =>
    pageOf(db.selectFrom('webhooks').select(COLUMNS).orderBy('id'), request),
);
