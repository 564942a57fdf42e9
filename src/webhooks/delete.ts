import { adminWrite } from '../accounts/admin-write.ts';
import { removeReader } from '../services/changes/readers.ts';
import type { Asked } from '../sessions/caller-write.ts';
import { readerOf } from './fill.ts';
import { lockWebhook } from './find.ts';
import { recordAsked } from './record.ts';

/** Removes a webhook with its secrets and its log. Fails with `not_found`, and with `forbidden` for others than admins. */
export const deleteWebhook = adminWrite(
  'webhooks.delete',
  async (db, input: Asked & { readonly id: number }, caller, engine): Promise<void> => {
    const { id } = input;
    await lockWebhook(db, id);
    await db.deleteFrom('webhooks').where('id', '=', id).execute();
    await removeReader.run(db, { name: readerOf(id) }, engine);
    await recordAsked(db, 'webhook_deleted', { id, asked: input, caller });
  },
);
