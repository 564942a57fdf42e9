import { randomBytes } from 'node:crypto';
import { Failure, noMail, tooManyRequests } from '../../domain/failure.ts';
import { isNoAddress } from '../../domain/no-address.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { rowOf } from '../audit/row.ts';
import { fillSlot } from '../audit/slots.ts';
import type { Place } from '../sealing/seal.ts';
import { keyChanged, type Sealing } from '../sealing/sealing.ts';
import { isSealedUnder } from '../sealing/secrets.ts';
import { throttleKey } from '../throttle/standing.ts';
import { takeFromBucket } from '../throttle/take.ts';
import { type AddressKind, addressKindOf, fullFor } from './room.ts';
import type { TemplateName, Values } from './templates.ts';

/** Mails of one kind to one recipient: five at once, and then one each twelve minutes. */
const PER_RECIPIENT = { free: 5, everyMs: 12 * MINUTE_MS } as const;
/** Mails that one source causes to addresses which nobody proved: one mailbox has many spellings (`ada+1@`). */
const PER_SOURCE = { free: 100, everyMs: HOUR_MS / 100 } as const;
/** Seconds after which a recipient who had too many may get one more. */
export const NEXT_MAIL_SECONDS = PER_RECIPIENT.everyMs / 1000;

/** The secret of a link, sealed to the row that the mail will have. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
  /** `Sealing.check` of the key that it is sealed under. */
  readonly sealedUnder: string;
}

export interface NewMail {
  /** The account that the mail names or is for, which takes the mail with it when it is removed; null where there is none. */
  readonly accountId: number | null;
  readonly recipient: string;
  /** Where the write has taken the address from its account already; else it is looked up. */
  readonly addressKind?: AddressKind;
  readonly template: TemplateName;
  readonly values: Values;
  readonly secret?: SealedSecret;
  /** The request that causes the mail; null where none does. */
  readonly origin: Origin | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When the mail is of no use any more; a day from now unless told. */
  readonly giveUpAt?: number;
}

/**
 * `no_address` is an account that lost its address (decisions 0071). `full` is the outbox, or what a source may have in it; the
 * last two had too many mails within an hour.
 */
export type Queueing = 'queued' | 'no_address' | 'full' | 'too_many_to_recipient' | 'too_many_from_source';

/**
 * Puts a mail into the outbox, inside the write that causes the mail. Where it returns another word than `queued`, no mail
 * was queued, and the write may go on without it (decisions 0069). Fails with OperatorError where the sealing key is another one
 * than that of the secret.
 */
export async function queueMail(db: Db, mail: NewMail, engine: Engine): Promise<Queueing> {
  const { accountId, recipient, template, values, secret, origin, now, giveUpAt = now + DAY_MS } = mail;
  if (isNoAddress(recipient)) return 'no_address';
  if (secret && !(await isSealedUnder(db, secret.sealedUnder))) throw keyChanged();
  // Writes at once would all find the last place.
  await engine.lock(db, 'queueing mail');
  const kind = await addressKindOf(db, mail);
  const sourceKey = origin && throttleKey('source', origin.source);
  const because = await fullFor(db, kind, sourceKey);
  if (because) {
    const slot = `${Math.floor(now / HOUR_MS)} mail_dropped ${because}`;
    await fillSlot(db, slot, rowOf({ event: 'mail_dropped', at: now, origin, detail: { because } }));
    return 'full';
  }
  const bucket = throttleKey('mail', template, foldKey(recipient));
  if (!(await takeFromBucket(db, bucket, PER_RECIPIENT, now))) return 'too_many_to_recipient';
  if (!(await takeFromSource(db, mail, kind))) return 'too_many_from_source';
  await db
    .insertInto('mails')
    .values({
      id: secret?.id ?? newId(),
      recipient,
      template,
      template_values: JSON.stringify(values),
      secret_sealed: secret?.sealed ?? null,
      source_key: sourceKey,
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
 * Counts the mail for its source. A proved address is left out: a thief would spend the budget, so that an owner hears of
 * nothing. So is a link for a forgotten password, which has a budget of its own: this one would tell whether the account
 * is there.
 */
async function takeFromSource(
  db: Db,
  { template, origin, now }: NewMail,
  kind: AddressKind,
): Promise<boolean> {
  if (origin === null || kind === 'proved' || template === 'password_reset') return true;
  return takeFromBucket(db, throttleKey('mail_source', origin.source), PER_SOURCE, now);
}

/** The answer to a person who asked for a mail that was not queued. */
export function notQueued(queueing: Exclude<Queueing, 'queued'>): Failure {
  switch (queueing) {
    case 'no_address':
      return noMail('The account has no e-mail address; give it one first.');
    case 'full': {
      const message = 'Too many mails wait to be sent; try again later.';
      return new Failure({ error: 'busy', message, retryAfter: NEXT_MAIL_SECONDS });
    }
    case 'too_many_to_recipient':
      return tooManyRequests('Too many mails were sent to this address; try again later.', NEXT_MAIL_SECONDS);
    case 'too_many_from_source':
      return tooManyRequests(
        'Too many mails were asked for from here; try again later.',
        PER_SOURCE.everyMs / 1000,
      );
  }
}

/** Seals the secret of a link before the write, in the one thread that has the sealing key. */
export function sealSecret(sealing: Sealing, secret: string): SealedSecret {
  const id = newId();
  return { id, sealed: sealing.seal(placeOfSecret(id), secret), sealedUnder: sealing.check };
}

export function placeOfSecret(id: string): Place {
  return { table: 'mails', row: id, column: 'secret_sealed' };
}

function newId(): string {
  return randomBytes(16).toString('base64url');
}
