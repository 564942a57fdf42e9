import { adminWrite } from '../accounts/admin-write.ts';
import { limitReached } from '../domain/failure.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { addReader } from '../services/changes/readers.ts';
import type { SealedSecret } from '../services/sealing/sealed-secret.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { hasRows } from '../store/pages.ts';
import { readerOf } from './fill.ts';
import { lockWebhook, type WebhookRow } from './find.ts';
import type { Wanted } from './messages.ts';
import { recordAsked } from './record.ts';
import { keepSecret } from './signature.ts';

interface NewWebhook extends Asked {
  readonly url: string;
  readonly events: readonly Wanted[];
  readonly description: string;
  readonly secret: SealedSecret;
}

/**
 * Makes a webhook, which gets the changes from now on. Fails with `forbidden` for others than admins, with
 * `recent_sign_in_required`, and with `limit_reached`.
 */
export const createWebhook = adminWrite(
  'webhooks.create',
  async (db, input: NewWebhook, caller, engine): Promise<WebhookRow> => {
    const { url, events, description, secret, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    // Writes at once would all find the last place. Admins come one after another, so no other lock is needed.
    const most = ROW_LIMITS.webhooks;
    if (await hasRows(db.selectFrom('webhooks').select('id').orderBy('id'), most))
      throw limitReached(`There are ${most} webhooks at most; delete one first.`);
    const { id } = await db
      .insertInto('webhooks')
      .values({ url, events: JSON.stringify(events), description, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    await keepSecret(db, id, secret);
    await addReader.run(db, { name: readerOf(id), now }, engine);
    await recordAsked(db, 'webhook_created', { id, asked: input, caller });
    return lockWebhook(db, id);
  },
);
