import { workerData } from 'node:worker_threads';
import { answerCalls } from './answer-calls.ts';
import { Deadline } from './deadline.ts';
import { openWithDerived } from './derived.ts';
import type { ThreadStart } from './messages.ts';

/** Runs the long reads, one after another, each on one snapshot, so that the HTTP thread never waits for them. */

const { file, operationsUrl, port } = workerData as ThreadStart;
const database = openWithDerived(file);
// A search reads many pages of its index.
database.exec('PRAGMA derived.cache_size = -32768');
const deadline = new Deadline(database);
await answerCalls({
  port,
  operationsUrl,
  database,
  file,
  begin: 'BEGIN',
  onCall: () => deadline.begin(),
});
