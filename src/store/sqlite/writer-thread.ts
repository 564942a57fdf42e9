import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openForWriting } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { GroupCommit } from './group-commit.ts';
import { LogKeeper } from './log-keeper.ts';
import { type Answer, type Call, READY, type Request, type ThreadStart } from './messages.ts';
import { loadOperations, operationNamed } from './operations.ts';

/**
 * The one writer (group commit): takes the writes that wait, runs them in one transaction, commits them with one
 * fsync, and only then answers them, in their order.
 */

/** A group with this many writes takes no further message. Bounds how long its first write waits for its last. */
const GROUP_LIMIT = 512;

const { file, operationsUrl, port } = workerData as ThreadStart;
const operations = await loadOperations(operationsUrl);
const database = openForWriting(file);
const db = kyselyOn(database);
const groupCommit = new GroupCommit(database);
const log = new LogKeeper(file, database);
const run = ({ name, input }: Call) => operationNamed(operations, name).run(db, input, sqliteEngine);
/** Requests that were received while a group was under way. They come before those that still wait at the port. */
const requests: Request[] = [];
let last: Promise<void> = Promise.resolve();

port.postMessage(READY);
port.on('message', (request: Request) => {
  requests.push(request);
  // One group after another, even if an operation should ever wait for more than its statements.
  last = last.then(commitGroup);
});

async function commitGroup(): Promise<void> {
  const request = nextRequest();
  // An earlier group may have taken this request along.
  if (!request) return;
  if (request === 'close') return close();
  const { first, calls } = request;
  let closing = false;
  while (calls.length < GROUP_LIMIT) {
    const next = nextRequest();
    if (!next) break;
    if (next === 'close') closing = true;
    else calls.push(...next.calls);
  }
  const answer: Answer = { first, outcomes: await groupCommit.run(calls, run) };
  port.postMessage(answer);
  log.tend();
  if (closing) await close();
}

function nextRequest(): Request | undefined {
  return requests.shift() ?? receiveMessageOnPort(port)?.message;
}

async function close(): Promise<void> {
  await log.close();
  database.exec('PRAGMA optimize');
  database.close();
  port.close();
}
