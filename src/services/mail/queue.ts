import { randomBytes } from 'node:crypto';
import { busy, type Failure, noMail, tooManyRequests } from '../../domain/failure.ts';
import { SHARED_LIMITS } from '../../domain/limits.ts';
import { isNoAddress } from '../../domain/no-address.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { insertEvent } from '../audit/row.ts';
import { hourOf } from '../audit/slots.ts';
import { everyMs } from '../limits/bucket.ts';
import { sourceKey, take } from '../limits/shared.ts';
import type { Place } from '../sealing/seal.ts';
import { requireSealingKey, type SealedSecret } from '../sealing/sealed-secret.ts';
import { type AddressKind, addressKindOf, fullFor } from './room.ts';
import type { TemplateName, Values } from './templates.ts';

/** Seconds after which a recipient who had too many mails may get one more. */
export const NEXT_MAIL_SECONDS = everyMs(SHARED_LIMITS.mail) / 1000;

export interface NewMail {
  /** The account that the mail names or is for. Its removal removes the mail. Null without one. */
  readonly accountId: number | null;
  readonly recipient: string;
  /** Set if the write has already taken the address from its account. Otherwise it is looked up. */
  readonly addressKind?: AddressKind;
  /** Set if the limit `mail` counts it by something else than the recipient. */
  readonly countedBy?: readonly string[];
  readonly template: TemplateName;
  readonly values: Values;
  /** That of a link. */
  readonly secret?: SealedSecret;
  /** The request that causes the mail, or null. */
  readonly origin: Origin | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When the mail is no longer useful. A day from now by default. */
  readonly giveUpAt?: number;
}

/**
 * Why a mail was not queued. `no_address`: the account lost its address (docs/decisions/addresses-and-mail.md). `full`:
 * the outbox, or the share of a source, has no room. The last two: too many mails within an hour.
 */
export type Queueing = 'queued' | 'no_address' | 'full' | 'too_many_to_recipient' | 'too_many_from_source';

/**
 * Puts a mail into the outbox, inside the write that causes the mail. Any result but `queued` means that no mail was
 * queued; the write may continue without it (docs/decisions/addresses-and-mail.md). Fails with OperatorError if the
 * sealing key is not the one of the secret.
 */
export async function queueMail(db: Db, mail: NewMail, engine: Engine): Promise<Queueing> {
  const { accountId, recipient, template, values, secret, origin, now, giveUpAt = now + DAY_MS } = mail;
  const { countedBy = [template, foldKey(recipient)] } = mail;
  if (isNoAddress(recipient)) return 'no_address';
  if (secret) await requireSealingKey(db, secret);
  // Without the lock, several writes at once would all find the last place.
  await engine.lock(db, 'queueing mail');
  const kind = await addressKindOf(db, mail);
  const source = origin && sourceKey(origin.source);
  const because = await fullFor(db, kind, source);
  if (because) {
    const dropped = { event: 'mail_dropped', at: now, origin, detail: { because } } as const;
    await insertEvent(db, dropped, `${hourOf(now)} mail_dropped ${because}`);
    return 'full';
  }
  if (!(await take(db, 'mail', countedBy, now))) return 'too_many_to_recipient';
  if (!(await takeFromSource(db, mail, kind))) return 'too_many_from_source';
  await db
    .insertInto('mails')
    .values({
      id: secret?.id ?? randomBytes(16).toString('base64url'),
      recipient,
      template,
      template_values: JSON.stringify(values),
      secret_sealed: secret?.sealed ?? null,
      source_key: source,
      made_at: now,
      attempts: 0,
      next_attempt_at: now,
      give_up_at: giveUpAt,
      account_id: accountId,
    })
    .execute();
  return 'queued';
}

/**
 * Counts the mail for its source. Mails to proved addresses are not counted, or a thief could use up the limit so that
 * an owner gets no notice. A link for a forgotten password has its own limit, because this one would reveal whether the
 * account exists.
 */
async function takeFromSource(
  db: Db,
  { template, origin, now }: NewMail,
  kind: AddressKind,
): Promise<boolean> {
  if (origin === null || kind === 'proved' || template === 'password_reset') return true;
  return (await take(db, 'mail_source', origin.source, now)) !== undefined;
}

/** The answer to a person whose mail was not queued. */
export function notQueued(queueing: Exclude<Queueing, 'queued'>): Failure {
  switch (queueing) {
    case 'no_address':
      return noMail('The account has no e-mail address; give it one first.');
    case 'full':
      return busy('Too many mails wait to be sent; try again later.', NEXT_MAIL_SECONDS);
    case 'too_many_to_recipient':
      return tooManyRequests(SHARED_LIMITS.mail.refusal, NEXT_MAIL_SECONDS, 'mail');
    case 'too_many_from_source':
      return tooManyRequests(
        SHARED_LIMITS.mail_source.refusal,
        everyMs(SHARED_LIMITS.mail_source) / 1000,
        'mail_source',
      );
  }
}

export function placeOfMailSecret(id: string): Place {
  return { table: 'mails', row: id, column: 'secret_sealed' };
}
