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

/** What waits in the outbox, and since when. */
export async function checkOutbox(db: Db, now: number): Promise<Finding> {
  const { rows } = await sql<Queue>`select count(*) as waiting, min(made_at) as oldest from mails`.execute(
    db,
  );
  return late('outbox', 'mails', rows[0], now, 'start the service with SMTP_URL, or see its log');
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
    late('webhooks', 'deliveries', rows[0], now, 'start the service, or see the deliveries in the console'),
  ];
}

function late(check: string, what: string, queue: Queue | undefined, now: number, cure: string): Finding {
  const waiting = Number(queue?.waiting ?? 0);
  if (!queue || queue.oldest === null) return finding(check, 'ok', `No ${what} wait.`);
  const oldest = Number(queue.oldest);
  const says = `${waiting} ${what} wait, the oldest since ${new Date(oldest).toISOString()}`;
  return now - oldest > LATE_MS
    ? finding(check, 'wrong', `${says}; ${cure}.`)
    : finding(check, 'ok', `${says}.`);
}
