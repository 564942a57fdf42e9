import { parentPort } from 'node:worker_threads';
import '../../src/auth/hashing/thread.ts';

/** The real hashing thread, with messages of others in its channel to the parent, as `node --watch` posts them. */
for (const message of [{ 'watch:import': ['file:///a.ts'] }, [true], { number: 1, results: [true] }]) {
  parentPort?.postMessage(message);
}
