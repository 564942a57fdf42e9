import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { Failure } from '../../src/domain/failure.ts';
import { openStore } from '../../src/open-store.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { call } from '../support/client.ts';
import { PATIENCE, sqlite } from '../support/engines.ts';
import { newFlag, raise, raised } from '../support/flag.ts';
import { holdReader, holdWriter } from '../support/gated-operations.ts';
import {
  appendToNote,
  countNotes,
  dieReading,
  dieWriting,
  echo,
  forgeAnswers,
  forgeAnswersLong,
  holdThread,
  insertNote,
  readNote,
  readNoteLong,
  readSlowly,
} from '../support/operations.ts';
import { openStoreOn } from '../support/store.ts';
import { until } from '../support/until.ts';

const OPERATIONS_URL = new URL('../support/operations.ts', import.meta.url).href;
const CHATTY = new URL('../support/chatty-operations.ts', import.meta.url).href;
const HASTY = new URL('../support/hasty-operations.ts', import.meta.url).href;

describe('The threads of the SQLite store', { concurrency: true }, () => {
  it('The SQLite writer takes 10,000 waiting writes, and refuses the next as busy', async (t) => {
    const { store } = await openSqlite(t);
    await store.write(insertNote, 'note');
    const append = () => store.write(appendToNote, { name: 'note', text: '1' });
    const waiting = Array.from({ length: 10_000 }, append);
    await assert.rejects(append(), BUSY);
    await Promise.all(waiting);
    await append();
    assert.equal((await store.read(readNote, 'note'))?.length, 1 + 10_001);
  });

  it('The SQLite reader takes 64 waiting long reads, and refuses the next as busy', async (t) => {
    const { store } = await openSqlite(t);
    const end = newFlag();
    const held = store.read(holdReader, [newFlag(), end]);
    const waiting = [held, ...Array.from({ length: 63 }, () => store.read(readSlowly, 0))];
    await assert.rejects(store.read(readSlowly, 0), BUSY);
    let isWaiting = true;
    const done = Promise.all(waiting).then(() => {
      isWaiting = false;
    });
    await store.write(insertNote, 'note');
    assert.equal(await store.read(readNote, 'note'), '0');
    assert.equal(isWaiting, true);
    raise(end);
    await done;
    await store.read(readSlowly, 0);
  });

  it('A dead SQLite writer fails every write as unavailable, and is reported once', async (t) => {
    const { store, database, lost } = await openSqlite(t);
    await store.write(insertNote, 'before');
    const pending = [store.write(insertNote, 'neighbour'), store.write(dieWriting, 'dying')];
    for (const { status, reason } of (await Promise.allSettled(pending)) as PromiseRejectedResult[]) {
      assert.equal(status, 'rejected');
      assert.equal(reason.data.error, 'unavailable');
    }
    await assert.rejects(store.write(insertNote, 'later'), UNAVAILABLE);
    await assert.rejects(store.ping(), UNAVAILABLE);
    assert.equal(await store.read(readNote, 'before'), '0');
    assert.deepEqual(lost, ['The writer-thread ended unexpectedly.']);
    await store.close();
    const again = await openStoreOn(t, database);
    assert.equal(
      await again.read(countNotes, ''),
      1,
      'nothing of the batch that was not acknowledged is there',
    );
  });

  it('A dead SQLite reader fails long reads and writes as unavailable', async (t) => {
    const { store, lost } = await openSqlite(t);
    const pending = [store.read(dieReading, undefined), store.read(readSlowly, 0)];
    for (const each of pending) await assert.rejects(each, UNAVAILABLE);
    await assert.rejects(store.read(readSlowly, 0), UNAVAILABLE);
    await assert.rejects(store.write(insertNote, 'later'), UNAVAILABLE);
    await assert.rejects(store.ping(), UNAVAILABLE);
    assert.deepEqual(lost, ['The reader-thread ended unexpectedly.']);
  });

  it('A thread of the store answers each call with its own result, in order, even while a write waits', async (t) => {
    const { store } = await openSqlite(t);
    const flags = [newFlag(), newFlag(), newFlag()] as const;
    const [begin, isReceived, end] = flags;
    const answers: string[] = [];
    const send = async (text: string) => {
      const answered = store.write(echo, text).then((answer) => answers.push(`${text} got ${answer}`));
      await setImmediate();
      return { answered };
    };
    const held = store.write(holdThread, flags);
    await setImmediate();
    const received = [await send('one'), await send('two')];
    raise(begin);
    await raised(isReceived);
    // Comes when those two have been received and nothing of them has been done.
    const late = await send('three');
    raise(end);
    await Promise.all([held, ...received.map(({ answered }) => answered), late.answered]);
    assert.deepEqual(answers, ['one got one', 'two got two', 'three got three']);
  });

  it('A thread of the store answers only for itself, whatever others post into its channel', async (t) => {
    const { store, lost } = await openSqlite(t, CHATTY);
    assert.equal(await store.write(echo, 'mine'), 'mine');
    await store.write(insertNote, 'note');
    assert.equal(await store.read(readNoteLong, 'note'), '0');
    assert.equal(await store.read(readNoteLong, 'no note'), null);
    await store.ping();
    await store.close();
    assert.deepEqual(lost, [], 'they end as they were asked to');
  });

  it('A thread of the store that speaks before it is ready ends the start', async (t) => {
    await assert.rejects(openSqlite(t, HASTY), /sent something before it was ready/);
  });

  it('A thread of the store that sends what is no answer is ended, and its calls are unavailable', async (t) => {
    const { store, lost } = await openSqlite(t);
    assert.equal(await store.write(echo, 'first'), 'first');
    const later = { first: 3, outcomes: [{ ok: true, value: 'forged' }] };
    const waiting = [store.write(forgeAnswers, [later]), store.write(echo, 'third')];
    for (const each of waiting) await assert.rejects(each, UNAVAILABLE);
    await assert.rejects(store.write(echo, 'later'), UNAVAILABLE);
    await assert.rejects(store.ping(), UNAVAILABLE);
    assert.deepEqual(lost, ['The writer-thread sent what is no answer to the calls that wait.']);
  });

  it('A thread of the store that answers a long read twice is ended, and its calls are unavailable', async (t) => {
    const { store, lost } = await openSqlite(t);
    const twice = { first: 1, outcomes: [{ ok: true, value: null }] };
    assert.equal(await store.read(forgeAnswersLong, [twice]), null);
    await assert.rejects(store.read(readNoteLong, 'note'), UNAVAILABLE);
    assert.deepEqual(lost, ['The reader-thread sent what is no answer to the calls that wait.']);
  });

  it('A dead thread of the store makes /readyz answer 503 while /livez stays 200', async (t) => {
    const { url, store } = await serveSqlite(t);
    assert.equal((await call(url, 'GET', '/readyz')).status, 200);
    await assert.rejects(store.write(dieWriting, 'dying'), UNAVAILABLE);
    const { status, headers, body } = await call(url, 'GET', '/readyz');
    assert.equal(status, 503);
    assert.equal(headers.get('retry-after'), '1');
    assert.equal(body.data.error, 'unavailable');
    assert.equal((await call(url, 'GET', '/livez')).status, 200);
  });

  it('A SQLite writer that hangs, as on a disk that answers no fsync, makes /readyz 503 and the log say so until it answers', async (t) => {
    // The writer may be silent for a second, and not for twenty.
    const { url, store, log } = await serveSqlite(t, 0.05);
    const messages = () => log.map((line) => JSON.parse(line).msg);
    const end = newFlag();
    t.after(() => raise(end));
    const held = store.write(holdWriter, end);
    const ready = () => call(url, 'GET', '/readyz');
    await until(async () => (await ready()).status === 503, 'the service is not ready');
    assert.deepEqual((await ready()).body.data.details, ['storage_read_only']);
    const begins = 'the database answers, but takes no writes; nothing can be stored until it does';
    await until(() => messages().includes(begins), 'the log says so');
    assert.match(log.find((line) => line.includes(begins)) ?? '', /no write has ended for \d+ s/);
    raise(end);
    await held;
    assert.equal((await ready()).status, 200);
    await until(() => messages().includes('the database takes writes again'), 'the log says that it ended');
  });
});

const WITH_REAL_OPERATIONS = new URL('../support/all-operations.ts', import.meta.url).href;
const BUSY = isFailure('busy');
const UNAVAILABLE = isFailure('unavailable');

function isFailure(name: string) {
  return (error: unknown) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.data.error, name);
    assert.equal(error.data.retryAfter, 1);
    return true;
  };
}

/** A service with the operations of the tests beside its own. */
async function serveSqlite(t: TestContext, patience = PATIENCE) {
  const config = readConfig(await sqlite.settings(t));
  const store = await openStore(config.database, { operationsUrl: WITH_REAL_OPERATIONS, patience });
  const hashing = new HashingPool(1);
  const log: string[] = [];
  const logger = pino({}, { write: (line) => log.push(line) });
  const app = await buildApp({ config, store, hashing, logger });
  t.after(async () => {
    await app.close();
    await Promise.all([store.close(), hashing.close()]);
  });
  return { store, log, url: await app.listen({ port: 0 }) };
}

async function openSqlite(t: TestContext, operationsUrl = OPERATIONS_URL) {
  const { database } = readConfig(await sqlite.settings(t));
  const lost: string[] = [];
  const onLost = (reason: Error) => lost.push(reason.message);
  const store = await openStore(database, { operationsUrl, onLost, user: 'server' });
  t.after(() => store.close());
  return { store, database, lost };
}
