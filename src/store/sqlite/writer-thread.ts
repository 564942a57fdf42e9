import type { StatementSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { unavailable } from '../../domain/failure.ts';
import type { Db } from '../tables.ts';
import { openForWriting } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { translateSqliteError } from './errors.ts';
import { IdleWork } from './idle-work.ts';
import { type Call, loadOperations, type Operations, operationNamed, type ThreadData } from './operations.ts';
import { failed, type Outcome } from './outcome.ts';

/**
 * The one writer (group commit): takes every write that waits, runs each in a savepoint of one
 * transaction, commits once - one fsync for all of them - and only then answers, in their order.
 */

/** Bounds how long the first write of a batch waits for the last. */
const BATCH_LIMIT = 512;

const { file, operationsUrl } = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error('The writer runs as a thread of the store.');

const operations = await loadOperations(operationsUrl);
const database = openForWriting(file);
const db = kyselyOn(database);
const [begin, commit] = [prepareControl('BEGIN IMMEDIATE'), prepareControl('COMMIT')];
const savepoint = prepareControl('SAVEPOINT write');
const [release, undo] = [prepareControl('RELEASE write'), prepareControl('ROLLBACK TO write')];
let last: Promise<void> = Promise.resolve();
const indexing = new IdleWork(() => {
  const round = last.then(indexRound);
  last = round.then(
    () => {},
    () => {},
  );
  return round;
});

port.postMessage('ready');
indexing.expect();
port.on('message', (calls: Call[] | 'close') => {
  // One batch after another, even if an operation should ever wait for more than its statements.
  last = last.then(() => (calls === 'close' ? close() : takeBatch(port, calls)));
});

async function takeBatch(from: MessagePort, calls: Call[]): Promise<void> {
  let closing = false;
  while (calls.length < BATCH_LIMIT) {
    const next = receiveMessageOnPort(from);
    if (!next) break;
    if (next.message === 'close') closing = true;
    else calls.push(...(next.message as Call[]));
  }
  from.postMessage(await runBatch(calls, operations, db));
  indexing.expect();
  if (closing) close();
}

async function runBatch(calls: readonly Call[], all: Operations, on: Db): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  try {
    begin.run();
    for (const call of calls) outcomes.push(await runWrite(call, all, on));
    commit.run();
    return outcomes;
  } catch (error) {
    // Nothing of the batch is on disk, so nothing of it is acknowledged.
    if (database.isTransaction) database.exec('ROLLBACK');
    const outcome = failed(translateSqliteError(error));
    return calls.map(() => outcome);
  }
}

async function runWrite({ name, input }: Call, all: Operations, on: Db): Promise<Outcome> {
  savepoint.run();
  try {
    const value = await operationNamed(all, name).run(on, input, sqliteEngine);
    release.run();
    return { ok: true, value };
  } catch (error) {
    // Out of space, SQLite may end the whole transaction by itself: then the batch is lost as a whole.
    if (!database.isTransaction) throw unavailable(error);
    undo.run();
    release.run();
    return failed(error);
  }
}

/** Brings some of the content search up; true when more is waiting. */
async function indexRound(): Promise<boolean> {
  begin.run();
  try {
    const isMoreWaiting = await sqliteEngine.indexContent(db);
    commit.run();
    return isMoreWaiting;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

/** `run` reports the last row id, and those inside a search index are too large for a number. */
function prepareControl(sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function close(): void {
  indexing.stop();
  database.exec('PRAGMA optimize');
  database.close();
  port?.postMessage('closed');
  port?.close();
}
