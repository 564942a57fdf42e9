import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from './connection.ts';
import { kyselyOn } from './dialect.ts';
import { sqliteEngine } from './engine.ts';
import { translateSqliteError } from './errors.ts';
import { type Call, loadOperations, operationNamed, type ThreadData } from './operations.ts';
import { failed, type Outcome } from './outcome.ts';
import { rollBack } from './transaction.ts';

/** Runs the long reads, one after another, each on one snapshot, so that the HTTP thread never waits for them. */

const { file, operationsUrl } = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error('The reader runs as a thread of the store.');

const operations = await loadOperations(operationsUrl);
const database = openForReading(file);
const db = kyselyOn(database);
let last: Promise<unknown> = Promise.resolve();

port.postMessage('ready');
port.on('message', (calls: Call[] | 'close') => {
  last = last.then(async () => {
    if (calls === 'close') return close();
    for (const call of calls) port.postMessage([await runRead(call)]);
  });
});

async function runRead({ name, input }: Call): Promise<Outcome> {
  try {
    database.exec('BEGIN');
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
  port?.postMessage('closed');
  port?.close();
}
