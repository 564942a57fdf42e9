import { adminWrite } from '../accounts/admin-write.ts';
import type { CallerInput } from '../accounts/caller-write.ts';
import { closeAccount } from '../accounts/close.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { ClosingContent } from '../accounts/tables.ts';
import type { Origin } from '../domain/origin.ts';

interface Removal extends CallerInput {
  readonly id: number;
  readonly content: ClosingContent;
  readonly origin: Origin;
}

/**
 * Closes an account that is removed at once: its owner cannot take it back. Fails with `not_found`, with
 * `recent_sign_in_required`, and with `last_admin`.
 */
export const removeUser = adminWrite(
  'personal_data.remove_user',
  async (db, { id, content, now, origin }: Removal, { userId, sessionId }, engine): Promise<void> => {
    await requireRecentSignIn(db, { sessionId, now });
    const account = await lockAccount(db, id, now);
    const actor = { actorId: userId, sessionId };
    await closeAccount(db, account, { closesAt: now, content, now, origin, actor }, engine);
  },
);
