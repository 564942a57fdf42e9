import { type CallerInput, callerWrite } from '../../accounts/caller-write.ts';
import { Failure, noMail } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { type NewLink, newLink } from '../../services/mail/links.ts';
import { type Engine, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { AuthParts } from '../parts.ts';
import { mailLink } from './links.ts';

interface Request {
  readonly link: NewLink;
  readonly now: number;
  readonly origin: Origin;
}

/** Mails a link that proves the address of the account, unless that is proved, or too many were mailed to it. */
async function request(
  db: Db,
  { userId, link, now, origin }: Request & { readonly userId: number },
  engine: Engine,
): Promise<void> {
  const account = await db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'email_key'])
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  if (!account) return;
  const mailing = { link, kind: 'verify', account, address: account, now, origin } as const;
  if ((await mailLink(db, mailing, engine)) !== 'queued') return;
  await recordEvent(db, { event: 'email_verification_requested', at: now, origin, accountId: userId });
}

export const requestOwnVerification = callerWrite(
  'auth.request_own_verification',
  (db, input: Request & CallerInput, { userId }, engine) => request(db, { ...input, userId }, engine),
);

export const requestVerification = writeOperation('auth.request_verification', request);

/** Mails the caller a link that proves their address, while nobody has proved it. Fails with `no_mail`. */
export async function askForVerification(
  parts: Pick<AuthParts, 'store' | 'sealing' | 'sendsMail'>,
  input: Omit<Request, 'link'> & CallerInput,
): Promise<void> {
  if (!parts.sendsMail) throw noMail('This service sends no mail, so no address can be proved.');
  await parts.store.write(requestOwnVerification, { ...input, link: newLink(parts.sealing, 'stoa_el_') });
}

/**
 * Called by every way to sign in, once the account and what it was asked for are right, and before a session begins. Where
 * addresses have to be proved and this one is not, a link is mailed there. Fails with `email_not_verified` then.
 */
export async function requireProvenAddress(
  parts: Pick<AuthParts, 'store' | 'sealing' | 'requiresProof' | 'clock'>,
  account: { readonly id: number; readonly email_verified_at: number | null },
  origin: Origin,
): Promise<void> {
  if (!parts.requiresProof || account.email_verified_at !== null) return;
  const link = newLink(parts.sealing, 'stoa_el_');
  await parts.store.write(requestVerification, { userId: account.id, link, now: parts.clock(), origin });
  const message = 'Your e-mail address is not proved yet; follow the link that was mailed to it.';
  throw new Failure({ error: 'email_not_verified', message });
}
