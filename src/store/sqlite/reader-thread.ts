import { workerData } from 'node:worker_threads';
import { LONG_READ_MS, tookTooLong } from '../deadline.ts';
import { openWithDerived } from './derived.ts';
import type { ThreadData } from './operations.ts';
import { runCalls } from './run-calls.ts';

/** Runs the long reads one after another, each on one snapshot, so that the HTTP thread never waits for them. */

const { file, operationsUrl, patience = 1 } = workerData as ThreadData;
const database = openWithDerived(file);
// A long read may need many pages of an index.
database.exec('PRAGMA derived.cache_size = -32768');
/** The time limit of the long read under way (`whileInTime`). */
let end = Number.POSITIVE_INFINITY;
database.function('stoa_in_time', () => {
  if (performance.now() > end) throw tookTooLong();
  return 1;
});
const onCall = () => {
  end = performance.now() + patience * LONG_READ_MS;
};
await runCalls({ file, operationsUrl, database, begin: 'BEGIN', onCall });
