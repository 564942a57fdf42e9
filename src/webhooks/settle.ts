import type { Updateable } from 'kysely';
import { writeOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';
import { pauseAfter, retryAfterMs, TRIED_MS } from './backoff.ts';
import { TEST } from './messages.ts';
import { pauseWebhook } from './pause.ts';
import type { Outcome } from './send.ts';

/** The endpoint says that it is there no more. */
const GONE = 410;

interface Settlement {
  readonly id: number;
  /** Where it was sent. */
  readonly url: string;
  /** Which attempt this was. */
  readonly attempts: number;
  /** Undefined where the service ended before an answer came: that attempt counts for nothing. */
  readonly outcome: Outcome | undefined;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly sendsMail: boolean;
}

/**
 * Stores what came of an attempt. A success is an answer from 200 to 299. Any other one is tried again, until three days
 * have passed since the first attempt: then the webhook is paused, as it is at once by 410. It is paused too where another
 * delivery has waited that long and none has succeeded meanwhile. What waits goes on waiting. A failure at an address that
 * the webhook no longer has says nothing about the new one, which gets the message at once. Nothing happens where another
 * attempt has begun since.
 */
export const settleDelivery = writeOperation(
  'webhooks.settle',
  async (db, settlement: Settlement, engine): Promise<void> => {
    const { id, url, attempts, outcome, now, sendsMail } = settlement;
    const delivery = await db
      .selectFrom('webhook_deliveries')
      .select(['webhook_id', 'event', 'first_attempt_at'])
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('claimed_until', 'is not', null)
      .executeTakeFirst();
    if (!delivery) return;
    const { webhook_id, event } = delivery;
    if (!outcome)
      return finish(db, id, { attempts: attempts - 1, next_attempt_at: now, claimed_until: null });
    const statusCode = 'statusCode' in outcome ? outcome.statusCode : null;
    const last = { status_code: statusCode, error: 'error' in outcome ? outcome.error : null };
    const done = { ...last, claimed_until: null };
    if (statusCode !== null && isSuccess(statusCode))
      return finish(db, id, { ...done, status: 'delivered', next_attempt_at: null });
    const isMoved = (await lockedUrl(db, webhook_id)) !== url;
    const retryAfter = 'retryAfter' in outcome ? retryAfterMs(outcome.retryAfter, now) : 0;
    if (event === TEST) await finish(db, id, { ...done, status: 'failed', next_attempt_at: null });
    else if (isMoved) await finish(db, id, { ...done, next_attempt_at: now, first_attempt_at: null });
    else await finish(db, id, { ...done, next_attempt_at: nextAttempt(delivery, settlement, retryAfter) });
    if (isMoved) return;
    if (retryAfter > 0) await holdBack(db, webhook_id, now + retryAfter);
    const pausing = { id: webhook_id, now, sendsMail };
    if (statusCode === GONE) await pauseWebhook(db, { ...pausing, because: 'gone' }, engine);
    else if (event !== TEST && (now >= endOf(delivery, now) || (await isFailing(db, webhook_id, now))))
      await pauseWebhook(db, { ...pausing, because: 'failing' }, engine);
  },
  { isBackground: true },
);

/** Any 2xx. A redirect is none. */
export function isSuccess(statusCode: number): boolean {
  return statusCode >= 200 && statusCode <= 299;
}

interface Tried {
  readonly first_attempt_at: number | null;
}

function endOf({ first_attempt_at }: Tried, now: number): number {
  return (first_attempt_at ?? now) + TRIED_MS;
}

/**
 * True where any delivery has waited for three days since its first attempt, and none was delivered meanwhile. An
 * endpoint that asks for long pauses gets each of many deliveries only now and then.
 */
async function isFailing(db: Db, webhookId: number, now: number): Promise<boolean> {
  const since = now - TRIED_MS;
  const deliveries = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .limit(1);
  const waiting = deliveries.where('next_attempt_at', 'is not', null).where('first_attempt_at', '<=', since);
  if (!(await waiting.executeTakeFirst())) return false;
  // The newest first, because a success is among them, if there is one.
  const delivered = deliveries.where('status', '=', 'delivered').where('last_attempt_at', '>', since);
  return !(await delivered.orderBy('id', 'desc').executeTakeFirst());
}

/** The last attempt is at the end of the three days. A later one waits for an admin. */
function nextAttempt(delivery: Tried, { attempts, now, random }: Settlement, retryAfter: number): number {
  const end = endOf(delivery, now);
  const next = now + pauseAfter(attempts, random);
  return Math.max(now < end ? Math.min(next, end) : next, now + retryAfter);
}

/** Locked, because a change of the address leaves alone what is being sent. Undefined where the webhook was deleted. */
async function lockedUrl(db: Db, id: number): Promise<string | undefined> {
  const webhook = db.selectFrom('webhooks').select('url').where('id', '=', id).forUpdate();
  return (await webhook.executeTakeFirst())?.url;
}

type Finished = Updateable<Tables['webhook_deliveries']>;

async function finish(db: Db, id: number, values: Finished): Promise<void> {
  await db.updateTable('webhook_deliveries').set(values).where('id', '=', id).execute();
}

/** Retry-After is about the endpoint, so no other delivery is sent to it before. */
async function holdBack(db: Db, id: number, not_before: number): Promise<void> {
  await db.updateTable('webhooks').set({ not_before }).where('id', '=', id).execute();
}
