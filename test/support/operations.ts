import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/create.ts';
import { listUsers } from '../../src/accounts/list.ts';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { Failure } from '../../src/domain/failure.ts';
import { listContent } from '../../src/lists/list.ts';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import { recordEvent } from '../../src/services/audit/record.ts';
import type { SecurityEvent } from '../../src/services/audit/row.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { countedTable } from '../../src/store/counts.ts';
import { readOperation, writeOperation } from '../../src/store/operation.ts';
import { BARE_ITEM } from './bare-item.ts';
import { type Flag, raise } from './flag.ts';
import { GATED_OPERATIONS } from './gated-operations.ts';

/**
 * Operations that only tests need. They go the same way as the real ones: found by name in the
 * threads of the store, inside the transaction that the engine opens for them.
 */

/** Puts a row under the name, or fails with the UniqueViolation of its key. */
export const insertNote = writeOperation('test.insert_note', async (db, name: string): Promise<void> => {
  await db.insertInto('secrets').values({ name, value: '0' }).execute();
});

/** Inserts each by a statement of its own. */
export const insertNotes = writeOperation(
  'test.insert_notes',
  async (db, names: readonly string[], engine): Promise<void> => {
    for (const name of names) await insertNote.run(db, name, engine);
  },
);

export const readNote = readOperation('test.read_note', async (db, name: string) => {
  const row = await db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
});

/** The same as `readNote`, beside the calling thread. */
export const readNoteLong = readOperation('test.read_note_long', readNote.run, () => true);

export const countNotes = readOperation('test.count_notes', async (db, prefix: string) => {
  const { count } = await db
    .selectFrom('secrets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', 'like', `${prefix}%`)
    .executeTakeFirstOrThrow();
  return Number(count);
});

/** Writes the note, reads it back inside the same write and returns what it saw. */
export const insertAndReadNote = writeOperation(
  'test.insert_and_read_note',
  async (db, name: string, engine) => {
    await insertNote.run(db, name, engine);
    return readNote.run(db, name, engine);
  },
);

/**
 * Reads and locks a number, waits a moment, and writes the number plus one. Without the lock, updates would be
 * lost.
 */
export const addSlowly = writeOperation('test.add_slowly', async (db, name: string): Promise<number> => {
  const { value } = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const next = Number(value) + 1;
  await new Promise((resolve) => setTimeout(resolve, 1));
  await db
    .updateTable('secrets')
    .set({ value: String(next) })
    .where('name', '=', name)
    .execute();
  return next;
});

/** Appends to a note, so that the order of the writes can be read from it. */
export const appendToNote = writeOperation(
  'test.append_to_note',
  async (db, { name, text }: { name: string; text: string }): Promise<void> => {
    await db
      .updateTable('secrets')
      .set((eb) => ({ value: sql<string>`${eb.ref('value')} || ${text}` }))
      .where('name', '=', name)
      .execute();
  },
);

/** Replaces the value of a note by the word, repeated to that many characters. */
export const replaceNote = writeOperation(
  'test.replace_note',
  async (db, { name, word, length }: { name: string; word: string; length: number }): Promise<void> => {
    const value = word.repeat(length / word.length);
    await db.updateTable('secrets').set({ value }).where('name', '=', name).execute();
  },
);

/** Changes something and then fails: as the client's fault, as ours, or by a broken statement. */
export const insertAndFail = writeOperation(
  'test.insert_and_fail',
  async (
    db,
    { name, how }: { name: string; how: 'failure' | 'fault' | 'statement' },
    engine,
  ): Promise<void> => {
    await insertNote.run(db, name, engine);
    if (how === 'failure') throw new Failure({ error: 'forbidden', message: 'The test refuses.' });
    if (how === 'fault') throw new TypeError('The test is at fault.');
    await sql`insert into there_is_no_such_table (a) values (1)`.execute(db);
  },
);

/** Inserts that many items, with consecutive ids. */
export const insertItems = writeOperation(
  'test.insert_items',
  async (db, { author, count }: { author: number; count: number }): Promise<void> => {
    const row = { author_id: author, title: 't', content: '', ...BARE_ITEM, version: 1 };
    const rows = Array.from({ length: count }, () => ({ ...row, created_at: 0, updated_at: 0 }));
    for (let first = 0; first < count; first += 500) {
      await db
        .insertInto('content')
        .values(rows.slice(first, first + 500))
        .execute();
    }
  },
);

/** Inserts accounts that nobody can log in to, with consecutive ids. */
export const insertAccounts = writeOperation(
  'test.insert_accounts',
  async (db, accounts: readonly { username: string; email: string }[]): Promise<void> => {
    const rows = accounts.map(({ username, email }) => ({
      username,
      username_key: username,
      email,
      email_key: email,
      password_hash: '',
      role: 'member' as const,
      created_at: 0,
    }));
    for (let first = 0; first < rows.length; first += 500) {
      await db
        .insertInto('users')
        .values(rows.slice(first, first + 500))
        .execute();
    }
  },
);

export const deleteItems = writeOperation('test.delete_items', async (db, ids: readonly number[]) => {
  for (let first = 0; first < ids.length; first += 500) {
    await db
      .deleteFrom('content')
      .where('id', 'in', ids.slice(first, first + 500))
      .execute();
  }
});

export const listItemIds = readOperation('test.list_item_ids', async (db, _: null): Promise<number[]> => {
  const rows = await db.selectFrom('content').select('id').orderBy('id').execute();
  return rows.map(({ id }) => Number(id));
});

const countedContent = countedTable('content');

/** Where `seek` leads and the id that a list finds from there. */
export const seekItem = readOperation('test.seek_item', async (db, offset: number, engine) => {
  const seek = await countedContent.seek(db, offset, engine);
  const row = await db
    .selectFrom('content')
    .select('id')
    .where('id', '>=', seek.id)
    .orderBy('id')
    .limit(1)
    .offset(seek.offset)
    .executeTakeFirst();
  return { skipped: seek.offset, id: row ? Number(row.id) : null };
});

/** The counted buckets of a table beside what counting its rows says, bucket by bucket. */
export const compareBuckets = readOperation('test.compare_buckets', async (db, bucketSize: number) => {
  const counted = await sql<{ bucket: number; rows: number }>`
    select bucket, rows from content_buckets where rows <> 0 order by bucket`.execute(db);
  const naive = await sql<{ bucket: number; rows: number }>`
    select id / ${sql.lit(bucketSize)} as bucket, count(*) as rows from content group by 1 order by 1`.execute(
    db,
  );
  const plain = (list: typeof counted) => list.rows.map(({ bucket, rows }) => [Number(bucket), Number(rows)]);
  return { counted: plain(counted), naive: plain(naive) };
});

/** A long read: keeps one state of the database for that many milliseconds. */
export const readSlowly = readOperation(
  'test.read_slowly',
  async (db, milliseconds: number, engine): Promise<void> => {
    await readNote.run(db, '', engine);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  },
  () => true,
);

/** Ends the thread in which it runs, in the middle of its transaction. */
export const dieWriting = writeOperation(
  'test.die_writing',
  async (db, name: string, engine): Promise<void> => {
    await insertNote.run(db, name, engine);
    process.exit(1);
  },
);

/** Ends the thread in which it runs. */
export const dieReading = readOperation(
  'test.die_reading',
  async (): Promise<void> => process.exit(1),
  () => true,
);

/**
 * Sends messages from the thread in which it runs to the store, as if they were answers. From then on
 * that thread does not end by itself.
 */
export const forgeAnswers = writeOperation(
  'test.forge_answers',
  async (_db, messages: readonly unknown[]) => {
    setInterval(() => {}, 1_000);
    for (const message of messages) workerData.port.postMessage(message);
  },
);

/** The same as `forgeAnswers`, in the reader. */
export const forgeAnswersLong = readOperation('test.forge_answers_long', forgeAnswers.run, () => true);

export const echo = writeOperation('test.echo', async (_db, text: string): Promise<string> => text);

/** Waits for the first flag while the thread goes on receiving; then raises the second, and stands still until the third. */
export const holdThread = writeOperation(
  'test.hold_thread',
  async (_db, [begin, isReceived, end]: readonly [Flag, Flag, Flag]): Promise<void> => {
    while (Atomics.load(begin, 0) === 0) await sleep(1);
    await sleep(10);
    raise(isReceived);
    Atomics.wait(end, 0, 0);
  },
);

/** Records an event in a write that does nothing else. */
export const recordOne = writeOperation('test.record_event', (db, event: SecurityEvent) =>
  recordEvent(db, event),
);

/** The real operations that the store suite uses (all of them would cost each thread their imports) and these. */
export const OPERATIONS = [
  ...GATED_OPERATIONS,
  createAccount,
  createContent,
  deleteContent,
  indexQueuedContent,
  listContent,
  startSession,
  updateContent,
  addSlowly,
  appendToNote,
  compareBuckets,
  countNotes,
  deleteItems,
  dieReading,
  dieWriting,
  echo,
  forgeAnswers,
  forgeAnswersLong,
  holdThread,
  insertAccounts,
  insertAndFail,
  insertAndReadNote,
  insertItems,
  insertNote,
  insertNotes,
  listItemIds,
  listUsers,
  readNote,
  readNoteLong,
  readSlowly,
  recordOne,
  replaceNote,
  seekItem,
] as const;
