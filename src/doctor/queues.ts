import { sql } from 'kysely';
import { HOUR_MS } from '../domain/time.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding } from './finding.ts';

/** A mail or a delivery that is tried again may be this old. */
const LATE_MS = HOUR_MS;

interface Queue {
  readonly waiting: number;
  /** Milliseconds since 1970; null where nothing waits. */
  readonly oldest: number | null;
}

/** What is said of a queue whose oldest row is late. */
interface Late extends Pick<Finding, 'state'> {
  readonly cure: string;
}

const UNSENT_MAILS: Late = { state: 'wrong', cure: 'start the service with SMTP_URL, or see its log' };
const RETRIED_MAILS: Late = {
  state: 'advice',
  cure: 'they are tried again by plan; see in the log why the mail server does not take them',
};
const UNSENT_DELIVERIES: Late = {
  state: 'wrong',
  cure: 'start the service, or see the deliveries in the console',
};
const RETRIED_DELIVERIES: Late = {
  state: 'advice',
  cure: 'they are tried again by plan; see in the console why the endpoint fails',
};

/** What waits in the outbox, and since when. */
export async function checkOutbox(db: Db, now: number): Promise<Finding> {
  const { rows } = await sql<Queue & { readonly next: number | null }>`
    select count(*) as waiting, min(made_at) as oldest, min(next_attempt_at) as next from mails`.execute(db);
  const isRetried = Number(rows[0]?.next ?? now) >= now - LATE_MS;
  return late('outbox', 'mails', rows[0], now, isRetried ? RETRIED_MAILS : UNSENT_MAILS);
}

/** What waits for webhooks that are not paused, and which webhooks are paused because they failed. */
export async function checkWebhooks(db: Db, now: number): Promise<Finding[]> {
  const { rows: paused } = await sql<{ id: number; url: string }>`
    select id, url from webhooks where paused_because in ('failing', 'gone') order by id`.execute(db);
  const { rows } = await sql<Queue>`
    select count(*) as waiting, min(made_at) as oldest from webhook_deliveries
    where next_attempt_at is not null and webhook_id in (select id from webhooks where paused_at is null)`.execute(
    db,
  );
  return [
    ...paused.map(({ id, url }) =>
      finding(
        'webhooks',
        'wrong',
        `The webhook ${id} to ${new URL(url).host} is paused because its endpoint failed; mend the endpoint, and go on with PUT /api/webhooks/${id} or in the console.`,
      ),
    ),
    late(
      'webhooks',
      'deliveries',
      rows[0],
      now,
      (await isRetriedByPlan(db, now)) ? RETRIED_DELIVERIES : UNSENT_DELIVERIES,
    ),
  ];
}

/**
 * True if no attempt is late. Of each webhook only the oldest delivery is asked, because a later one of the same item
 * waits for it without an attempt of its own.
 */
async function isRetriedByPlan(db: Db, now: number): Promise<boolean> {
  const { rows } = await sql<{ readonly id: number }>`
    select d.id from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where w.paused_at is null and d.next_attempt_at < ${now - LATE_MS}
      and coalesce(w.not_before, 0) < ${now - LATE_MS}
      and d.id in (
        select min(id) from webhook_deliveries where next_attempt_at is not null group by webhook_id)
    limit 1`.execute(db);
  return rows.length === 0;
}

function late(
  check: string,
  what: string,
  queue: Queue | undefined,
  now: number,
  { state, cure }: Late,
): Finding {
  const waiting = Number(queue?.waiting ?? 0);
  if (!queue || queue.oldest === null) return finding(check, 'ok', `No ${what} wait.`);
  const oldest = Number(queue.oldest);
  const says = `${waiting} ${what} wait, the oldest since ${new Date(oldest).toISOString()}`;
  return now - oldest > LATE_MS
    ? finding(check, state, `${says}; ${cure}.`)
    : finding(check, 'ok', `${says}.`);
}
