import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Thread } from '../../src/domain/thread.ts';
import {
  BUSY_TIMEOUT_MS,
  CHECKPOINT_PAGES,
  logLength,
  openForReading,
  openForWriting,
} from '../../src/store/sqlite/connection.ts';
import { LogKeeper } from '../../src/store/sqlite/log-keeper.ts';
import { inTransaction } from '../../src/store/sqlite/transaction.ts';
import type { Store } from '../../src/store/store.ts';
import { newSqliteFile, temporaryFolder } from '../support/engines.ts';
import { insertNote, readNote, readSlowly, replaceNote } from '../support/operations.ts';
import { shortestLog } from '../support/shortest-log.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { openStoreOn, WITH_TEST_OPERATIONS } from '../support/store.ts';

const PAGE = 4_096;
const MEGABYTE = 1024 * 1024;
const LOG_BYTES = CHECKPOINT_PAGES * PAGE;
const MODULE = new URL('../../src/store/sqlite/checkpoint-thread.ts', import.meta.url);

describe('The length of the SQLite log', { concurrency: true }, () => {
  it('The log stays within its length under writes that never pause', async (t) => {
    const longest = await shortestLog(1.5 * LOG_BYTES, () => writeOn(t, async () => {}));
    assert.ok(longest <= 1.5 * LOG_BYTES, `${longest} bytes`);
  });

  it('The log stays within twice its length under writes and under long and short reads that never pause', async (t) => {
    const longest = await shortestLog(2.25 * LOG_BYTES, () =>
      writeOn(t, async (store, isWriting) => {
        const readOn = async () => {
          while (isWriting()) {
            await store.read(readSlowly, 20);
            await store.read(readNote, 'note');
          }
        };
        await Promise.all([readOn(), readOn(), readOn()]);
      }),
    );
    assert.ok(longest > LOG_BYTES, 'the reads were in the way');
    assert.ok(longest <= 2.25 * LOG_BYTES, `${longest} bytes`);
  });
});

describe('The thread that copies the log ahead of the writer', { concurrency: true }, () => {
  it('The checkpoint thread copies up to its mark after the log has outgrown it, and never finishes', async (t) => {
    const { file, database } = await openDatabase(t);
    const step = startThread(t, file);
    await write(database);
    const marked = logLength(database).log;
    assert.equal(await step(), true);
    assert.equal(await step(), true, 'nothing was written since');
    assert.equal(logLength(database).checkpointed, 0);
    await write(database);
    assert.equal(await step(), false);
    const { log, checkpointed } = logLength(database);
    assert.equal(checkpointed, marked);
    assert.ok(log > marked);
    // Nothing holds the log any longer: the writer can finish it.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    assert.deepEqual(logLength(database), { log, checkpointed: log });
  });

  it('The checkpoint thread leaves the writer little to copy at the end of its log, each time', async (t) => {
    const { file, database } = await openDatabase(t);
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
    const keeper = new LogKeeper(file, database);
    t.after(() => keeper.close());
    let [log, isBehind] = [0, false];
    const look = () => {
      keeper.tend();
      const { checkpointed, ...now } = logLength(database);
      log = now.log;
      isBehind = log > 0.8 * CHECKPOINT_PAGES && log - checkpointed > 0.1 * CHECKPOINT_PAGES;
    };
    for (const time of ['first', 'second']) {
      for (let late = 0; log < CHECKPOINT_PAGES; late += Number(isBehind)) {
        assert.ok(late < 8, `The thread does not copy the ${time} time.`);
        await write(database, isBehind ? 1 : 64);
        look();
        // As long as the thread needs, on a machine as busy as this one.
        for (let waits = 0; isBehind && waits < 500; waits++) await sleep(5).then(look);
      }
      assert.equal(isBehind, false);
      // The writer finishes the checkpoint, and begins the log again.
      while (log >= CHECKPOINT_PAGES) {
        await write(database);
        look();
        // The thread is heard between two turns of the event loop.
        await sleep(1);
      }
    }
  });
});

describe('Readers that hold the log', () => {
  it('A write waits one second at most for a reader that does not end, and again only when the log is twice as long', async (t) => {
    const { database, keeper, reader } = await openHeldLog(t);
    await grow(database, 2 * CHECKPOINT_PAGES);
    const first = secondsOf(() => keeper.tend());
    assert.ok(first.clock >= 0.9 && first.own < 3, `waited ${first.clock} s`);
    await grow(database, 3.75 * CHECKPOINT_PAGES);
    const next = secondsOf(() => keeper.tend());
    assert.ok(next.own < 0.5, `waited ${next.own} s again`);
    await grow(database, 4 * CHECKPOINT_PAGES + 2_048);
    let twice = 0;
    // The look before has started the thread, and its work comes first.
    for (let looks = 0; twice < 0.9 && looks < 2_000; looks++) {
      await write(database);
      twice = secondsOf(() => keeper.tend()).clock;
      await sleep(5);
    }
    assert.ok(twice >= 0.9, `waited ${twice} s`);
    // The writer has its patience with other processes again.
    const { timeout } = database.prepare('PRAGMA busy_timeout').get() ?? {};
    assert.equal(timeout, BUSY_TIMEOUT_MS);
    reader.exec('COMMIT');
  });

  it('What a long reader has kept from the thread is copied by the thread, and the writer finishes the rest', async (t) => {
    const { database, keeper, reader } = await openHeldLog(t);
    await grow(database, 1.5 * CHECKPOINT_PAGES);
    keeper.tend();
    reader.exec('COMMIT');
    const held = logLength(database);
    await write(database);
    // Neither the commit nor the look of the writer copies what is left, which is most of the log.
    keeper.tend();
    assert.ok(logLength(database).checkpointed <= held.checkpointed + 1, 'by the writer');
    const isFinished = () => logLength(database).checkpointed === logLength(database).log;
    for (let looks = 0; !isFinished() && looks < 2_000; looks++) {
      await write(database);
      keeper.tend();
      await sleep(5);
    }
    assert.ok(isFinished());
  });
});

/** A log that a reader holds from its first pages on. */
async function openHeldLog(
  t: TestContext,
): Promise<{ database: DatabaseSync; keeper: LogKeeper; reader: DatabaseSync }> {
  const { file, database } = await openDatabase(t);
  database.exec('PRAGMA synchronous = OFF');
  const keeper = new LogKeeper(file, database);
  t.after(() => keeper.close());
  const reader = openForReading(file);
  t.after(() => reader.close());
  reader.exec('BEGIN; SELECT count(*) FROM notes');
  return { database, keeper, reader };
}

async function grow(database: DatabaseSync, pages: number): Promise<void> {
  while (logLength(database).log < pages) await write(database, 2_048);
}

/** By the clock, and without the time of other work on this machine. */
function secondsOf(work: () => void): { clock: number; own: number } {
  const [begin, elapsed] = [performance.now(), stopwatch()];
  work();
  return { clock: (performance.now() - begin) / 1_000, own: elapsed() / 1_000 };
}

/** Writes three times as much as the log may hold, beside `other`, and says how long its file ever was. */
async function writeOn(
  t: TestContext,
  other: (store: Store, isWriting: () => boolean) => Promise<void>,
): Promise<number> {
  const file = await newSqliteFile(t);
  const store = await openStoreOn(t, { kind: 'sqlite', file }, WITH_TEST_OPERATIONS);
  await store.write(insertNote, 'note');
  let isWriting = true;
  const beside = other(store, () => isWriting);
  let longest = 0;
  for (let written = 0; written < 3 * LOG_BYTES; written += MEGABYTE) {
    await store.write(replaceNote, { name: 'note', word: `${written}`, length: MEGABYTE });
    longest = Math.max(longest, statSync(`${file}-wal`).size);
  }
  isWriting = false;
  await beside;
  return longest;
}

async function openDatabase(t: TestContext): Promise<{ file: string; database: DatabaseSync }> {
  const file = join(await temporaryFolder(t), 'stoa.db');
  const database = openForWriting(file);
  t.after(() => database.isOpen && database.close());
  await inTransaction(database, async () =>
    database.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('')"),
  );
  return { file, database };
}

async function write(database: DatabaseSync, pages = 1): Promise<void> {
  // SQLite writes no page that stays the same.
  const text = `${Math.random()}`.padEnd(20).repeat((pages * PAGE) / 20);
  await inTransaction(database, async () => database.prepare('UPDATE notes SET text = ?').run(text));
}

/** The thread; what is returned asks it for one step and says whether it then holds a mark. */
function startThread(t: TestContext, file: string): () => Promise<boolean> {
  const thread = new Thread<null, boolean>(MODULE, {
    data: { file },
    limit: 1,
    workerOptions: { trackUnmanagedFds: false },
  });
  t.after(() => thread.close());
  return () => thread.call(null);
}
