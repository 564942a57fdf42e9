import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { newestNumber } from './read.ts';

/** A reader that keeps its place in the database. Changes that it has not read are kept for it (`removeOldChanges`). */
interface Reader {
  /** Unique. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Begins a reader after the newest change, or leaves it where it is. Returns the number after which it reads. A change
 * that commits meanwhile is read.
 */
export const addReader = writeOperation(
  'changes.add_reader',
  async (db, { name, now }: Reader): Promise<number> => {
    const number = await newestNumber(db);
    await db
      .insertInto('change_readers')
      .values({ name, number, seen_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return placeOf(db, name);
  },
);

async function placeOf(db: Db, name: string): Promise<number> {
  const reader = db.selectFrom('change_readers').select('number').where('name', '=', name);
  return (await reader.executeTakeFirstOrThrow()).number;
}

/**
 * Notes that the reader has read to this number, and that it lives. Never moves it back, so that a late note of another
 * instance repeats nothing. What the reader did with the changes must be on disk before.
 */
export const moveReader = writeOperation(
  'changes.move_reader',
  async (db, { name, number, now }: Reader & { readonly number: number }): Promise<void> => {
    await db
      .updateTable('change_readers')
      .set({ number, seen_at: now })
      .where('name', '=', name)
      .where('number', '<=', number)
      .execute();
  },
  { isBackground: true },
);

/** Ends a reader: nothing is kept for it any more. */
export const removeReader = writeOperation(
  'changes.remove_reader',
  async (db, { name }: Pick<Reader, 'name'>): Promise<void> => {
    await db.deleteFrom('change_readers').where('name', '=', name).execute();
  },
);
