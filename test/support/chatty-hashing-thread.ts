import { parentPort } from 'node:worker_threads';
import '../../src/passwords/hashing/hashing-thread.ts';

/** The real hashing thread, with messages of others in its channel to the parent, as `node --watch` posts them. */
for (const message of [
  { 'watch:import': ['file:///a.ts'] },
  [true],
  { first: 1, outcomes: [{ ok: true, value: true }] },
]) {
  parentPort?.postMessage(message);
}
