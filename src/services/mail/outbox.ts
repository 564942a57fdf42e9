import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import { countRows } from '../../store/count-rows.ts';
import { readOperation, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { FULL_FROM } from './room.ts';

/** Mails of one run: a few milliseconds of writing, and as many connections to the mail server. */
const BATCH = 10;
export const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;

/** No attempt is further away. A time beyond comes from a clock that was ahead, and counts as past. */
const FARTHEST_MS = 2 * LONGEST_PAUSE_MS;

const due = (db: Db, now: number) =>
  db
    .selectFrom('mails')
    .where((eb) => eb.or([eb('next_attempt_at', '<=', now), eb('next_attempt_at', '>', now + FARTHEST_MS)]))
    .orderBy('next_attempt_at')
    .orderBy('id');

interface OutboxLook {
  readonly hasDue: boolean;
  /** Mails that wait, counted up to the limit. */
  readonly waiting: number;
}

export const lookIntoOutbox = readOperation(
  'mail.look_into_outbox',
  async (db, now: number): Promise<OutboxLook> => {
    const first = await due(db, now).select('id').limit(1).executeTakeFirst();
    const some = db.selectFrom('mails').select('next_attempt_at').orderBy('next_attempt_at');
    return { hasDue: first !== undefined, waiting: await countRows(db, some.limit(FULL_FROM.full)) };
  },
);

export type WaitingMail = Awaited<ReturnType<typeof waitingMails>>[number];

/**
 * Returns the next mails to send, and postpones their next attempt. So no other instance sends them at the same time,
 * and a killed process loses none. Expired mails are removed and returned separately.
 */
export const claimDueMails = writeOperation(
  'mail.claim_due',
  async (
    db,
    now: number,
    engine,
  ): Promise<{ readonly mails: WaitingMail[]; readonly givenUp: WaitingMail[] }> => {
    await engine.lock(db, 'sending mail');
    const waiting = await waitingMails(db, now);
    const isOver = ({ give_up_at }: WaitingMail) => (give_up_at <= now ? 'givenUp' : 'mails');
    const { givenUp = [], mails = [] } = Object.groupBy(waiting, isOver);
    for (const { id } of givenUp) await db.deleteFrom('mails').where('id', '=', id).execute();
    const claimed: WaitingMail[] = [];
    for (const mail of mails) {
      const taken = await db
        .updateTable('mails')
        .set({ attempts: mail.attempts + 1, next_attempt_at: nextAttempt(mail, now) })
        .where('id', '=', mail.id)
        .returning('id')
        .executeTakeFirst();
      // Another write may have removed it meanwhile.
      if (taken) claimed.push(mail);
    }
    return { mails: claimed, givenUp };
  },
  { isBackground: true },
);

/**
 * Called when the mail server has taken the mail, or never will. The row has the secret of the link, which is deleted
 * too.
 */
export const removeMail = writeOperation(
  'mail.remove',
  async (db, id: string): Promise<void> => {
    await db.deleteFrom('mails').where('id', '=', id).execute();
  },
  { isBackground: true },
);

/**
 * Removes the mails that wait for an address, inside the write that removes its account. Mails that name the account,
 * to any address, are deleted with its row.
 */
export async function removeMailsTo(db: Db, recipient: string): Promise<void> {
  await db.deleteFrom('mails').where('recipient', '=', recipient).execute();
}

function waitingMails(db: Db, now: number) {
  return due(db, now)
    .select(['id', 'recipient', 'template', 'template_values', 'secret_sealed'])
    .select(['made_at', 'attempts', 'give_up_at'])
    .limit(BATCH)
    .execute();
}

/** The pause doubles: attempts after 1, 2, 4, 8 ... minutes, and later every 4 hours. */
function nextAttempt(
  { made_at, give_up_at }: Pick<WaitingMail, 'made_at' | 'give_up_at'>,
  now: number,
): number {
  const pause = Math.min(Math.max(now - made_at, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
  return Math.min(now + pause, give_up_at);
}
