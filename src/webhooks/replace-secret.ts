import { adminWrite } from '../accounts/admin-write.ts';
import { DAY_MS } from '../domain/time.ts';
import type { SealedSecret } from '../services/sealing/sealed-secret.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import { lockWebhook, type WebhookRow } from './find.ts';
import { recordAsked } from './record.ts';
import { keepSecret } from './signature.ts';

/** The replaced secret signs too for this long. */
const OVERLAP_MS = DAY_MS;

/**
 * Gives a webhook a new secret. Only the last of the earlier ones signs beside it. Fails with `not_found`, `forbidden` and
 * `recent_sign_in_required`.
 */
export const replaceSecret = adminWrite(
  'webhooks.replace_secret',
  async (
    db,
    input: Asked & { readonly id: number; readonly secret: SealedSecret },
    caller,
  ): Promise<WebhookRow> => {
    const { id, secret, now } = input;
    await requireRecentSignIn(db, { sessionId: caller.sessionId, now });
    const webhook = await lockWebhook(db, id);
    await db
      .deleteFrom('webhook_secrets')
      .where('webhook_id', '=', id)
      .where('ends_at', 'is not', null)
      .execute();
    await db
      .updateTable('webhook_secrets')
      .set({ ends_at: now + OVERLAP_MS })
      .where('webhook_id', '=', id)
      .execute();
    await keepSecret(db, id, secret);
    await recordAsked(db, 'webhook_secret_replaced', { id, asked: input, caller });
    return webhook;
  },
);
