import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type IdleTimes, IdleWork } from '../idle-work.ts';
import { Batch } from './batch.ts';
import { openForWriting } from './connection.ts';
import { labelContent } from './content-labels.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { type Call, loadOperations, operationNamed, type ThreadData } from './operations.ts';
import { inTransaction } from './transaction.ts';

/**
 * The one writer (group commit): takes every write that waits, runs them in one transaction, commits
 * once - one fsync for all of them - and only then answers, in their order.
 */

/** Bounds how long the first write of a batch waits for the last. */
const BATCH_LIMIT = 512;

const { file, operationsUrl } = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error('The writer runs as a thread of the store.');

const operations = await loadOperations(operationsUrl);
const database = openForWriting(file);
const db = kyselyOn(database);
const batch = new Batch(database);
const run = ({ name, input }: Call) => operationNamed(operations, name).run(db, input, sqliteEngine);
let last: Promise<void> = Promise.resolve();
const indexing = inRounds(() => sqliteEngine.indexContent(db), { idleMs: 2, longestMs: 1_000 });
const labelling = inRounds(() => labelContent(db), { idleMs: 2, longestMs: 100 });

port.postMessage('ready');
expectWork();
port.on('message', (calls: Call[] | 'close') => {
  // One batch after another, even if an operation should ever wait for more than its statements.
  last = last.then(() => (calls === 'close' ? close() : takeBatch(port, calls)));
});

function inRounds(work: () => Promise<boolean>, times: IdleTimes): IdleWork {
  return new IdleWork(() => {
    const round = last.then(() => inTransaction(database, work));
    last = round.then(
      () => {},
      () => {},
    );
    return round;
  }, times);
}

function expectWork(): void {
  labelling.expect();
  indexing.expect();
}

async function takeBatch(from: MessagePort, calls: Call[]): Promise<void> {
  let closing = false;
  while (calls.length < BATCH_LIMIT) {
    const next = receiveMessageOnPort(from);
    if (!next) break;
    if (next.message === 'close') closing = true;
    else calls.push(...(next.message as Call[]));
  }
  from.postMessage(await batch.run(calls, run));
  expectWork();
  if (closing) close();
}

function close(): void {
  void labelling.stop();
  void indexing.stop();
  database.exec('PRAGMA optimize');
  database.close();
  port?.postMessage('closed');
  port?.close();
}
