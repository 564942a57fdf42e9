import type { ExpressionBuilder } from 'kysely';
import { newestNumber } from '../services/changes/read.ts';
import { countRows } from '../store/count-rows.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';
import { FARTHEST_MS, HELD_UP_MS } from './backoff.ts';
import { countWaiting, MOST_WAITING, readerOf } from './fill.ts';
import { TEST } from './messages.ts';

/** Deliveries that are sent to one endpoint at once, by all instances. */
export const AT_ONCE = 4;
/** Longer than an attempt may take. After a kill another instance sends the delivery then. */
export const LEASE_MS = 30_000;
/** A claim that ends later than this comes from a clock that was wrong, and counts as ended. */
const LONGEST_LEASE_MS = 2 * LEASE_MS;

export interface Look {
  readonly now: number;
  /** Webhooks to which this instance sends as much as it may. */
  readonly full: readonly number[];
}

/** The webhooks for which the feed has more, so that a service without any writes nothing. */
export const webhooksBehind = readOperation('webhooks.behind', async (db, _: null): Promise<number[]> => {
  const webhooks = await db.selectFrom('webhooks').select('id').where('paused_at', 'is', null).execute();
  if (webhooks.length === 0) return [];
  const last = await newestNumber(db);
  const names = webhooks.map(({ id }) => readerOf(id));
  const readers = db.selectFrom('change_readers').select('name').where('name', 'in', names);
  const waiting = new Set((await readers.where('number', '<', last).execute()).map(({ name }) => name));
  const behind: number[] = [];
  for (const { id } of webhooks)
    if (waiting.has(readerOf(id)) && (await countWaiting(db, id)) < MOST_WAITING) behind.push(id);
  return behind;
});

/** True if a delivery may be sent now. */
export const hasDue = readOperation(
  'webhooks.has_due',
  async (db, look: Look): Promise<boolean> =>
    (await dueDeliveries(db, look).select('d.id').limit(1).executeTakeFirst()) !== undefined,
);

/** A delivery that this instance sends now. */
export interface Claimed {
  readonly id: number;
  readonly webhookId: number;
  readonly url: string;
  readonly messageId: string;
  readonly payload: string;
  readonly attempts: number;
  readonly secrets: readonly { readonly id: string; readonly secret_sealed: string }[];
}

/**
 * Returns deliveries to send, and postpones their next attempt, so that no other instance sends them meanwhile. Of one
 * item only the oldest that waits is returned.
 */
export const claimDeliveries = writeOperation(
  'webhooks.claim',
  async (db, look: Look, engine): Promise<Claimed[]> => {
    await engine.lock(db, 'sending webhooks');
    const webhooks = await db.selectFrom('webhooks').select(['id', 'url']).orderBy('id').execute();
    const claimed: Claimed[] = [];
    for (const webhook of webhooks) {
      if (look.full.includes(webhook.id)) continue;
      claimed.push(...(await claimOf(db, webhook, look)));
    }
    return claimed;
  },
  { isBackground: true },
);

async function claimOf(
  db: Db,
  webhook: { readonly id: number; readonly url: string },
  look: Look,
): Promise<Claimed[]> {
  const { now } = look;
  const room = AT_ONCE - (await countClaimed(db, webhook.id, now));
  if (room <= 0) return [];
  const due = await dueDeliveries(db, look)
    .select(['d.id', 'd.message_id', 'd.payload', 'd.attempts', 'd.first_attempt_at', 'd.next_attempt_at'])
    .select('w.not_before')
    .where('d.webhook_id', '=', webhook.id)
    .orderBy('d.next_attempt_at')
    .orderBy('d.id')
    .limit(room)
    .execute();
  if (due.length === 0) return [];
  const secrets = await db
    .selectFrom('webhook_secrets')
    .select(['id', 'secret_sealed'])
    .where('webhook_id', '=', webhook.id)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .orderBy('ends_at', (order) => order.nullsFirst())
    .execute();
  const wasAway = due.some((delivery) => isHeldUp(delivery, now));
  if (wasAway) await forgetFirstAttempts(db, webhook.id);
  const claimed: Claimed[] = [];
  for (const { id, message_id, payload, attempts, first_attempt_at, next_attempt_at } of due) {
    const since = wasAway ? now : (first_attempt_at ?? now);
    const taken = await db
      .updateTable('webhook_deliveries')
      .set({ attempts: attempts + 1, first_attempt_at: since, last_attempt_at: now })
      .set({ next_attempt_at: now + LEASE_MS, claimed_until: now + LEASE_MS })
      .where('id', '=', id)
      // Another write may have removed, settled or queued it anew meanwhile.
      .where('next_attempt_at', '=', next_attempt_at)
      .where('attempts', '=', attempts)
      .returning('id')
      .executeTakeFirst();
    const about = { id, webhookId: webhook.id, url: webhook.url, messageId: message_id };
    if (taken) claimed.push({ ...about, payload, secrets, attempts: attempts + 1 });
  }
  return claimed;
}

interface Due {
  readonly next_attempt_at: number | null;
  readonly not_before: number | null;
}

function isHeldUp({ next_attempt_at, not_before }: Due, now: number): boolean {
  return now - Math.max(next_attempt_at ?? now, not_before ?? 0) > HELD_UP_MS;
}

/** After a long time without the service the endpoint gets the whole time again, for all that waits. */
async function forgetFirstAttempts(db: Db, webhookId: number): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ first_attempt_at: null })
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .execute();
}

/** True for a delivery that no instance sends now. A claim outlives an instance that was killed. */
export function isUnclaimed(now: number) {
  return (eb: ExpressionBuilder<Tables, 'webhook_deliveries'>) =>
    eb.or([
      eb('claimed_until', 'is', null),
      eb('claimed_until', '<=', now),
      eb('claimed_until', '>', now + LONGEST_LEASE_MS),
    ]);
}

function countClaimed(db: Db, webhookId: number, now: number): Promise<number> {
  const claimed = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .where('claimed_until', '>', now)
    .where('claimed_until', '<=', now + LONGEST_LEASE_MS);
  return countRows(db, claimed);
}

/** Those that may be sent now. Nothing that waits comes before them on the same item. */
function dueDeliveries(db: Db, { now, full }: Look) {
  const farthest = now + FARTHEST_MS;
  const due = db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where((eb) => eb.or([eb('d.next_attempt_at', '<=', now), eb('d.next_attempt_at', '>', farthest)]))
    .where((eb) => eb.or([eb('w.paused_at', 'is', null), eb('d.event', '=', TEST)]))
    .where((eb) =>
      eb.or([
        eb('w.not_before', 'is', null),
        eb('w.not_before', '<=', now),
        eb('w.not_before', '>', farthest),
      ]),
    )
    .where(({ eb, not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as e')
            .select(eb.lit(1).as('one'))
            .whereRef('e.webhook_id', '=', 'd.webhook_id')
            .whereRef('e.subject', '=', 'd.subject')
            .whereRef('e.id', '<', 'd.id')
            .where('e.next_attempt_at', 'is not', null),
        ),
      ),
    );
  return full.length === 0 ? due : due.where('d.webhook_id', 'not in', full);
}
