import { adminWrite } from '../accounts/admin-write.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { Db } from '../store/tables.ts';
import { isUnclaimed } from './claim.ts';
import { endHold, lockWebhook, type WebhookRow } from './find.ts';
import type { Wanted } from './messages.ts';
import { recordAsked } from './record.ts';

interface Change extends Asked {
  readonly id: number;
  readonly url?: string;
  readonly events?: readonly Wanted[];
  readonly description?: string;
  readonly paused?: boolean;
}

/**
 * Changes what is given. A webhook that goes on, or has another address, tries all that waits at once, for three more
 * days. Fails with `not_found`, `forbidden` and `recent_sign_in_required`.
 */
export const updateWebhook = adminWrite(
  'webhooks.update',
  async (db, input: Change, caller): Promise<WebhookRow> => {
    const { id, url, events, description, paused, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const { paused_at } = await lockWebhook(db, id);
    const isPaused = paused_at !== null;
    await db
      .updateTable('webhooks')
      .set({
        // A write needs one member at least.
        id,
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events: JSON.stringify(events) }),
        ...(description !== undefined && { description }),
        ...(paused === true && !isPaused && { paused_at: now, paused_because: 'admin' as const }),
        ...(paused === false && { paused_at: null, paused_because: null }),
      })
      .where('id', '=', id)
      .execute();
    if ((paused === false && isPaused) || url !== undefined) await tryAtOnce(db, id, now);
    const members = Object.entries({ url, events, description, paused });
    const changed = members.flatMap(([name, value]) => (value === undefined ? [] : [name])).join(' ');
    const isPausing = paused === undefined ? {} : { paused: String(paused) };
    await recordAsked(db, 'webhook_changed', { id, asked: input, caller }, { changed, ...isPausing });
    return lockWebhook(db, id);
  },
);

async function tryAtOnce(db: Db, id: number, now: number): Promise<void> {
  await endHold(db, id);
  await db
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: now, first_attempt_at: null, claimed_until: null })
    .where('webhook_id', '=', id)
    .where('next_attempt_at', 'is not', null)
    .where(isUnclaimed(now))
    .execute();
}
