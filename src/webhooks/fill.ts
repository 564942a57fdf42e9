import { readChanges } from '../services/changes/read.ts';
import { moveReader } from '../services/changes/readers.ts';
import { countRows } from '../store/count-rows.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { gapMessage, messageOf, newDelivery } from './messages.ts';

/** Deliveries of one webhook that may wait. What follows stays in the feed, so that a silent endpoint fills no table. */
export const MOST_WAITING = 1_000;
/** Changes of one write, which takes some milliseconds. */
const BATCH = 200;

/** The name under which a webhook reads the feed. */
export function readerOf(id: number): string {
  return `webhook ${id}`;
}

/** How many deliveries of a webhook wait, counted up to the most. */
export function countWaiting(db: Db, id: number): Promise<number> {
  const some = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', id)
    .where('next_attempt_at', 'is not', null)
    .limit(MOST_WAITING);
  return countRows(db, some);
}

/**
 * Makes deliveries of the next changes that a webhook wants, and moves its place in the feed, in one write. So a kill
 * loses none, and two instances make none twice. What the feed no longer has becomes one message of its own.
 */
export const fillWebhook = writeOperation(
  'webhooks.fill',
  async (db, { id, now }: { readonly id: number; readonly now: number }, engine): Promise<void> => {
    const webhook = await db
      .selectFrom('webhooks')
      .select(['events', 'paused_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    const limit = Math.min(MOST_WAITING - (await countWaiting(db, id)), BATCH);
    if (!webhook || webhook.paused_at !== null || limit <= 0) return;
    const name = readerOf(id);
    const reader = db.selectFrom('change_readers').select('number').where('name', '=', name);
    const { number: after } = await reader.executeTakeFirstOrThrow();
    const { changes, goOnAfter } = await readChanges.run(db, { after, limit }, engine);
    const wanted: readonly string[] = JSON.parse(webhook.events);
    const messages = changes
      .filter(({ event }) => wanted.includes('*') || wanted.includes(event))
      .map((change) => messageOf(change));
    if (goOnAfter !== undefined) messages.push(gapMessage(after, goOnAfter, now));
    const rows = messages.map((message) => newDelivery(id, message, now));
    if (rows.length > 0) await db.insertInto('webhook_deliveries').values(rows).execute();
    const number = changes.at(-1)?.number ?? goOnAfter;
    if (number !== undefined) await moveReader.run(db, { name, number, now }, engine);
  },
  { isBackground: true },
);
