import { workerData } from 'node:worker_threads';
import { openForReading } from './connection.ts';
import { Deadline } from './deadline.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { translateSqliteError } from './errors.ts';
import { type Answer, type Call, READY, type Request, type ThreadStart } from './messages.ts';
import { loadOperations, operationNamed } from './operations.ts';
import { failed, type Outcome } from './outcome.ts';
import { rollBack } from './transaction.ts';

/** Runs the long reads, one after another, each on one snapshot, so that the HTTP thread never waits for them. */

const { file, operationsUrl, port } = workerData as ThreadStart;
const operations = await loadOperations(operationsUrl);
const database = openForReading(file);
const db = kyselyOn(database);
const deadline = new Deadline(database);
let last: Promise<unknown> = Promise.resolve();

port.postMessage(READY);
port.on('message', (request: Request) => {
  last = last.then(async () => {
    if (request === 'close') return close();
    for (const [index, call] of request.calls.entries()) {
      const answer: Answer = { first: request.first + index, outcomes: [await runRead(call)] };
      port.postMessage(answer);
    }
  });
});

async function runRead({ name, input }: Call): Promise<Outcome> {
  try {
    database.exec('BEGIN');
    deadline.begin();
    const value = await operationNamed(operations, name).run(db, input, sqliteEngine);
    database.exec('COMMIT');
    return { ok: true, value };
  } catch (error) {
    rollBack(database);
    return failed(translateSqliteError(error));
  }
}

function close(): void {
  database.close();
  port.close();
}
