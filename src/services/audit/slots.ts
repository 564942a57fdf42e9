import { atMost, statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import type { AuditRow } from './row.ts';

/**
 * Events that may come without end have a slot, which is unique: their rows are bounded, and the sum of `times` is exact.
 * A slot is a few words, and the number of rows whose slots begin with the same words.
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

const fill = statement((db, row: AuditRow & { readonly slot: string }) =>
  db
    .insertInto('audit_events')
    .values({
      at: row.at,
      event: row.event,
      account_id: row.account_id,
      actor_id: row.actor_id,
      session_id: row.session_id,
      address: row.address,
      request_id: row.request_id,
      detail: row.detail,
      slot: row.slot,
    })
    .onConflict((conflict) =>
      conflict
        .column('slot')
        .where('slot', 'is not', null)
        .doUpdateSet((eb) => ({ times: eb('audit_events.times', '+', 1) })),
    ),
);

/** How many rows have a slot that begins with these words; at most `most`. */
export async function slotsUnder(db: Db, words: string, most: number): Promise<number> {
  // "!" is the character that follows a space.
  const [counted] = await countSlots(db, { after: `${words} `, before: `${words}!`, most });
  return Number(counted?.rows ?? 0);
}

/** Puts the row into the slot, or counts the event in the row that has it. */
export async function fillSlot(db: Db, slot: string, row: AuditRow): Promise<void> {
  await fill(db, { ...row, slot });
}
