import type { Origin } from '../domain/origin.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { requireAnotherAdmin } from './admins.ts';
import { endSessions } from './end-sessions.ts';
import type { ClosingContent } from './tables.ts';

interface Closing {
  /** When the account is removed, in milliseconds since 1970. */
  readonly closesAt: number;
  readonly content: ClosingContent;
  readonly now: number;
  readonly origin: Origin;
  /** Who closes it, in which session. */
  readonly actor: { readonly actorId: number; readonly sessionId: string };
}

/**
 * Closes an account, inside a write that has called `lockAdmins`: it is in no list, its sessions end, and nobody signs in
 * to it. Its content stays until it is removed. Fails with `last_admin`.
 */
export async function closeAccount(
  db: Db,
  account: { readonly id: number; readonly username: string },
  { closesAt, content, now, origin, actor }: Closing,
  engine: Engine,
): Promise<void> {
  const { id } = account;
  await requireAnotherAdmin(db, account);
  await db
    .updateTable('users')
    .set({ visible: 0, closes_at: closesAt, closing_content: content })
    .where('id', '=', id)
    .execute();
  await endSessions(db, { userId: id }, { now, because: 'disabled' }, engine);
  const detail = { content };
  await recordEvent(db, { event: 'account_closed', at: now, origin, accountId: id, ...actor, detail });
}
