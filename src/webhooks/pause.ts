import { activeAdmins } from '../accounts/admins.ts';
import { recordEvent } from '../services/audit/record.ts';
import { queueMail } from '../services/mail/queue.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Admins who get a mail. More would only fill the outbox. */
const MOST_TOLD = 20;

const REASONS = {
  failing: 'a delivery failed for three days',
  gone: 'the endpoint answered 410, which says that it is gone',
} as const;

interface Pausing {
  readonly id: number;
  readonly because: keyof typeof REASONS;
  readonly now: number;
  readonly sendsMail: boolean;
}

/** Pauses a webhook, and tells the admins by mail. Nothing happens where the webhook is paused already. */
export async function pauseWebhook(db: Db, pausing: Pausing, engine: Engine): Promise<void> {
  const { id, because, now, sendsMail } = pausing;
  const paused = await db
    .updateTable('webhooks')
    .set({ paused_at: now, paused_because: because })
    .where('id', '=', id)
    .where('paused_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!paused) return;
  const detail = { webhook: String(id), because };
  await recordEvent(db, { event: 'webhook_paused', at: now, origin: null, detail });
  if (!sendsMail) return;
  const admins = await db
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where('id', 'in', activeAdmins(db))
    .orderBy('id')
    .limit(MOST_TOLD)
    // Every write locks rows of accounts before the outbox.
    .forKeyShare()
    .execute();
  for (const { id: accountId, username, email: recipient } of admins) {
    const values = { username, webhook: String(id), reason: REASONS[because] };
    const mail = { accountId, recipient, template: 'webhook_paused', values, now, origin: null } as const;
    await queueMail(db, mail, engine);
  }
}
