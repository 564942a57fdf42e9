import { randomBytes } from 'node:crypto';
import { isNoAddress } from '../../domain/no-address.ts';
import { foldKey } from '../../domain/text.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import type { Engine } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { Place } from '../sealing/seal.ts';
import { keyChanged, type Sealing } from '../sealing/sealing.ts';
import { isSealedUnder } from '../sealing/secrets.ts';
import { throttleKey } from '../throttle/standing.ts';
import { takeFromBucket } from '../throttle/take.ts';
import type { TemplateName, Values } from './templates.ts';

/** Mails of one kind to one recipient: five at once, and then one each twelve minutes. */
const PER_RECIPIENT = { free: 5, everyMs: 12 * MINUTE_MS } as const;
/** Seconds after which a recipient who had too many may get one more. */
export const NEXT_MAIL_SECONDS = PER_RECIPIENT.everyMs / 1000;
/** Mails that may wait in all. Only a mail server that is away for long makes so many wait. */
const MOST_WAITING = 10_000;

/** The secret of a link, sealed to the row that the mail will have. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
  /** `Sealing.check` of the key that it is sealed under. */
  readonly sealedUnder: string;
}

export interface NewMail {
  readonly recipient: string;
  readonly template: TemplateName;
  readonly values: Values;
  readonly secret?: SealedSecret;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When the mail is of no use any more; a day from now unless told. */
  readonly giveUpAt?: number;
}

/**
 * Puts a mail into the outbox, inside the write that causes the mail. False where there is no address, where this recipient had too many of the kind, or where too many mails wait: the write goes on
 * without the mail. Fails with OperatorError where the sealing key is another one than that of the secret.
 */
export async function queueMail(db: Db, mail: NewMail, engine: Engine): Promise<boolean> {
  const { recipient, template, values, secret, now, giveUpAt = now + DAY_MS } = mail;
  if (isNoAddress(recipient)) return false;
  if (secret && !(await isSealedUnder(db, secret.sealedUnder))) throw keyChanged();
  // Writes at once would all find the last place.
  await engine.lock(db, 'queueing mail');
  if (await isFull(db)) return false;
  const bucket = throttleKey('mail', template, foldKey(recipient));
  if (!(await takeFromBucket(db, bucket, PER_RECIPIENT, now))) return false;
  await db
    .insertInto('mails')
    .values({
      id: secret?.id ?? newId(),
      recipient,
      template,
      template_values: JSON.stringify(values),
      secret_sealed: secret?.sealed ?? null,
      made_at: now,
      attempts: 0,
      next_attempt_at: now,
      give_up_at: giveUpAt,
    })
    .execute();
  return true;
}

/** Seals the secret of a link before the write, in the one thread that has the sealing key. */
export function sealSecret(sealing: Sealing, secret: string): SealedSecret {
  const id = newId();
  return { id, sealed: sealing.seal(placeOfSecret(id), secret), sealedUnder: sealing.check };
}

export function placeOfSecret(id: string): Place {
  return { table: 'mails', row: id, column: 'secret_sealed' };
}

async function isFull(db: Db): Promise<boolean> {
  const beyond = await db
    .selectFrom('mails')
    .select('id')
    .offset(MOST_WAITING - 1)
    .limit(1)
    .executeTakeFirst();
  return beyond !== undefined;
}

function newId(): string {
  return randomBytes(16).toString('base64url');
}
