import type { Caller } from '../../domain/account.ts';
import { notFound } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { recordEvent } from '../../services/audit/record.ts';
import type { NewLink } from '../../services/mail/links.ts';
import { notQueued } from '../../services/mail/queue.ts';
import { type AccountBudget, spendBudget } from '../../services/throttle/account-budget.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { mailLink } from './links.ts';

/** An account chooses where the mails go, so this bounds what it sends to strangers, and the links of a day. */
const CHANGES: AccountBudget = {
  kind: 'email_change',
  free: 5,
  everyMs: HOUR_MS,
  message: 'Your account asked for too many addresses; try again later.',
};

interface Change {
  readonly address: { readonly email: string; readonly email_key: string };
  readonly caller: Caller;
  readonly link: NewLink;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Mails a link that gives the caller the address. Links to the same address that were mailed before stay good. Fails with
 * `too_many_requests`, or with `busy` where the outbox is full.
 */
export async function mailChange(
  db: Db,
  { address, caller, link, now, origin }: Change,
  engine: Engine,
): Promise<void> {
  const { userId, sessionId, username } = caller;
  await spendBudget(db, CHANGES, userId, now);
  const account = { id: userId, username };
  const queueing = await mailLink(db, { link, kind: 'change', account, address, now, origin }, engine);
  if (queueing !== 'queued') throw notQueued(queueing);
  const who = { accountId: userId, actorId: userId, sessionId };
  await recordEvent(db, { event: 'email_change_requested', at: now, origin, ...who });
}

/** Where the change that waits leads; undefined where none does. All its links are for one address. */
export function pendingChange(db: Db, { userId, now }: { readonly userId: number; readonly now: number }) {
  return db
    .selectFrom('email_links')
    .select(['email', 'email_key'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'change')
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
}

export function noPendingChange() {
  return notFound('change of the e-mail address that waits');
}
