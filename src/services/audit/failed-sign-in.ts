import type { Origin } from '../../domain/origin.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { countEvent } from './record.ts';

/** So many failures of one account from one source have a row each in an hour; one more row counts the rest. */
const SINGLY = 20;
/** So many rows the failures of an hour have in all. Those of names that are nobody's have as many again. */
const ROWS_AN_HOUR = 1_000;

interface FailedSignIn {
  /** `sign_in_locked` is the last mistake that was free. */
  readonly event?: 'sign_in_failed' | 'sign_in_locked' | 'second_factor_failed' | 'passkey_refused';
  /** A word of ours, where there are several reasons. */
  readonly because?: string;
  /** Null where the name is nobody's. The name itself is never kept: people type passwords there. */
  readonly accountId: number | null;
  readonly at: number;
  readonly origin: Origin;
}

/**
 * Records a sign-in that failed, in a write of its own, because it changes nothing else. A row stands for
 * several failures where there are too many of them: the sum of `times` is exact, the number of rows bounded.
 */
export const recordFailedSignIn = writeOperation(
  'audit.record_failed_sign_in',
  async (db, { event = 'sign_in_failed', because, accountId, at, origin }: FailedSignIn): Promise<void> => {
    const kind = because === undefined ? event : `${event}/${because}`;
    const hour = `${Math.floor(at / HOUR_MS)} ${kind} ${accountId === null ? 'nobody' : 'account'}`;
    const detail = because === undefined ? {} : { because };
    if ((await slotsUnder(db, hour, ROWS_AN_HOUR)) === ROWS_AN_HOUR) {
      return countEvent(db, `${hour} rest`, { event, at, origin: null, detail });
    }
    const pair = `${hour} ${origin.source} ${accountId ?? '-'}`;
    const about = accountId === null ? {} : { accountId };
    const slot = `${pair} ${await slotsUnder(db, pair, SINGLY)}`;
    return countEvent(db, slot, { event, at, origin, detail, ...about });
  },
);

/** How many rows have a slot that begins with these words; at most `most`. */
async function slotsUnder(db: Db, words: string, most: number): Promise<number> {
  const some = db
    .selectFrom('audit_events')
    .select('id')
    .where('slot', '>', `${words} `)
    // The character that follows a space.
    .where('slot', '<', `${words}!`)
    .limit(most);
  const { rows } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}
