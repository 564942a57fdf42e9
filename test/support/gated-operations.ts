import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { whileInTime } from '../../src/store/deadline.ts';
import { readOperation, writeOperation } from '../../src/store/operation.ts';
import { type Flag, raise, raised } from './flag.ts';

/** Operations that stop halfway until a test lets them go on, and those that bring the file of SQLite to a limit. */

/** Counts the notes, says so, waits, and counts them again. */
export const countNotesTwice = readOperation(
  'test.count_notes_twice',
  async (db, [isCounted, goOn]: readonly [Flag, Flag]): Promise<number[]> => {
    const count = async () => {
      const { rows } = await sql<{ notes: number }>`
        select count(*) as notes from secrets where name like 'note%'`.execute(db);
      return Number(rows[0]?.notes);
    };
    const before = await count();
    raise(isCounted);
    await raised(goOn);
    return [before, await count()];
  },
  () => true,
);

/** Longer than any test takes until it raises the flag. A test that fails before that ends by it. */
const HELD_MS = 240_000;

/** Like a long search: keeps its thread busy until the flag is raised. */
export const holdReader = readOperation(
  'test.hold_reader',
  async (_db, [hasBegun, end]: readonly [Flag, Flag]): Promise<void> => {
    raise(hasBegun);
    Atomics.wait(end, 0, 0, HELD_MS);
  },
  () => true,
);

/** As a write on a disk that answers no fsync: keeps the writer busy until the flag is raised. */
export const holdWriter = writeOperation('test.hold_writer', async (_db, end: Flag): Promise<void> => {
  Atomics.wait(end, 0, 0, HELD_MS);
});

/** Like a long search on PostgreSQL: keeps its connection until the flag is raised, and reaches no limit of a statement. */
export const holdConnection = readOperation(
  'test.hold_connection',
  async (db, [hasBegun, end]: readonly [Flag, Flag]): Promise<void> => {
    while (Atomics.load(end, 0) === 0) {
      await sql`select 1`.execute(db);
      raise(hasBegun);
      await pause(100);
    }
  },
  () => true,
);

/** Stores a note of so many bytes. The value is random, because SQLite does not write a value that is there already. */
export const fillNote = writeOperation(
  'test.fill_note',
  async (db, { name, bytes }: { name: string; bytes: number }): Promise<void> => {
    await sql`insert into secrets (name, value) values (${name}, ${randomBytes(bytes / 2).toString('hex')})
      on conflict (name) do update set value = excluded.value`.execute(db);
  },
);

/** As a search among 100 million rows, which take an engine far longer than a search may. */
export const lookAtMany = readOperation(
  'test.look_at_many',
  async (db, _: null, { name }): Promise<void> => {
    const found = name === 'sqlite' ? whileInTime(sql`i`) : sql`i > 0`;
    await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000000)
      select count(*) from n where ${found}`.execute(db);
  },
  () => true,
);

/** So many items of one category; their ids follow each other. */
export const insertItemsOfCategory = writeOperation(
  'test.insert_items_of_category',
  async (db, { author, count, category }: { author: number; count: number; category: string }) => {
    await sql`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
      insert into content (author_id, title, content, category, tags, version, created_at, updated_at)
      select ${sql.lit(author)}, 't', 'c', ${sql.lit(category)}, '[]', 1, 0, 0 from n`.execute(db);
  },
);

/** From now on SQLite gives the rows of a long read backwards, where the statement asks for no order. */
export const reverseUnordered = readOperation(
  'test.reverse_unordered',
  async (db, _: null): Promise<void> => {
    await sql`pragma reverse_unordered_selects = on`.execute(db);
  },
  () => true,
);

/** Lets the file of SQLite grow by so many more pages. Then the file is full, as on a full disk. */
export const leaveRoom = writeOperation('test.leave_room', async (db, pages: number): Promise<void> => {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
  await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + pages)}`.execute(db);
});

/** Appends to a note in the background, in a pause between other writes. */
export const appendInBackground = writeOperation(
  'test.append_in_background',
  async (db, { name, text }: { name: string; text: string }): Promise<void> => {
    await sql`update secrets set value = value || ${text} where name = ${name}`.execute(db);
  },
  { isBackground: true },
);

export const GATED_OPERATIONS = [
  appendInBackground,
  countNotesTwice,
  fillNote,
  holdReader,
  insertItemsOfCategory,
  leaveRoom,
  lookAtMany,
  reverseUnordered,
] as const;
