import { HOUR_MS } from '../../domain/time.ts';
import { atMost, statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import { insertEvent, type SecurityEvent } from './row.ts';

/**
 * Events without a natural end have a unique slot, so their rows are bounded and the sum of `times` is exact. A slot is
 * a few words. Rows of one kind have slots that begin with the same words.
 */
const countSlots = statement(
  (db, { after, before, most }: { after: string; before: string; most: number }) => {
    const some = db
      .selectFrom('audit_events')
      .select('id')
      .where('slot', '>', after)
      .where('slot', '<', before)
      .limit(atMost(most));
    return db.selectFrom(some.as('some')).select((eb) => eb.fn.countAll<number>().as('rows'));
  },
);

/** How many rows have a slot that begins with these words, counted up to `most`. */
async function slotsUnder(db: Db, words: string, most: number): Promise<number> {
  // "!" is the character after the space.
  const [counted] = await countSlots(db, { after: `${words} `, before: `${words}!`, most });
  return Number(counted?.rows ?? 0);
}

interface Bound {
  /** Some words. Events of one kind share the rows of an hour. */
  readonly kind: string;
  /** Some words: whose events, and from where. */
  readonly who: string;
  readonly most: { readonly singly: number; readonly inAll: number };
}

/**
 * Records an event in a bounded number of rows. Each hour the first `singly` events of one kind and `who` have a row
 * each, and one more row counts the rest. When the kind has `inAll` rows, one last row without `who` counts all further
 * events.
 */
export async function recordBounded(
  db: Db,
  event: SecurityEvent,
  { kind, who, most }: Bound,
  rest: SecurityEvent,
): Promise<void> {
  const hour = `${hourOf(event.at)} ${kind}`;
  const own = `${hour} ${who}`;
  // Both at once, so that they share a round trip on PostgreSQL.
  const [rows, number] = await Promise.all([
    slotsUnder(db, hour, most.inAll),
    slotsUnder(db, own, most.singly),
  ]);
  if (rows < most.inAll || number === most.singly) return insertEvent(db, event, `${own} ${number}`);
  await insertEvent(db, rest, `${hour} rest`);
}

/** The hour at the beginning of a slot. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}
