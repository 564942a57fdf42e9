import { Failure, taken } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { NewLink } from '../../services/mail/links.ts';
import { type Queueing, queueMail } from '../../services/mail/queue.ts';
import type { AddressKind } from '../../services/mail/room.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { EmailLink } from '../tables.ts';

/** So long the address before a change takes it back. */
export const REVERT_MS = 7 * DAY_MS;

/** What each link does has a mail of its own, and a life in milliseconds. */
const KINDS = {
  verify: { template: 'email_verification', lifeMs: DAY_MS },
  change: { template: 'email_change', lifeMs: DAY_MS },
  revert: { template: 'email_changed', lifeMs: REVERT_MS },
} as const satisfies Record<EmailLink, object>;

interface Mailing {
  readonly link: NewLink;
  readonly kind: EmailLink;
  readonly account: { readonly id: number; readonly username: string };
  /** Where the mail goes, and what the link is about. */
  readonly address: { readonly email: string; readonly email_key: string };
  readonly addressKind?: AddressKind;
  readonly now: number;
  readonly origin: Origin;
}

/** Keeps a link for an account and mails it. Nothing is kept where the mail is not queued. */
export async function mailLink(
  db: Db,
  { link, kind, account, address, addressKind, now, origin }: Mailing,
  engine: Engine,
): Promise<Queueing> {
  const { template, lifeMs } = KINDS[kind];
  const { email, email_key } = address;
  const values = { username: account.username };
  const mail = { accountId: account.id, recipient: email, template, values, secret: link.secret, origin };
  const queueing = await queueMail(db, { ...mail, ...(addressKind && { addressKind }), now }, engine);
  if (queueing !== 'queued') return queueing;
  await db
    .insertInto('email_links')
    .values({
      token_hash: link.tokenHash,
      user_id: account.id,
      kind,
      email,
      email_key,
      expires_at: now + lifeMs,
    })
    .execute();
  return 'queued';
}

/** Uses a link up: of several writes with one link, one removes the row. Undefined where the link is of no use. */
export function takeLink(
  db: Db,
  { kind, tokenHash, now }: { readonly kind: EmailLink; readonly tokenHash: string; readonly now: number },
) {
  return db
    .deleteFrom('email_links')
    .where('token_hash', '=', tokenHash)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .returning(['user_id', 'email', 'email_key', 'expires_at'])
    .executeTakeFirst();
}

/**
 * Called after an account was made whose address nobody proved. An address that an account had is kept for it as long as
 * the change can be taken back, or whoever took the account could keep its owner out by it. Fails with `taken`.
 */
export async function requireNoWayBack(db: Db, emailKey: string, now: number): Promise<void> {
  const wayBack = await db
    .selectFrom('email_links')
    .select('user_id')
    .where('email_key', '=', emailKey)
    .where('kind', '=', 'revert')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (wayBack) throw addressTaken();
}

export function addressTaken(): Failure {
  return taken('email', 'An account with this e-mail address exists; log in instead.');
}

export function linkInvalid(): Failure {
  const message = 'This link was used already or is too old; ask for a new one.';
  return new Failure({ error: 'link_invalid', message });
}
