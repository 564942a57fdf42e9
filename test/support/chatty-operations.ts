import { parentPort } from 'node:worker_threads';

/** The operations of the tests, in threads with messages of others in their channel to the parent, as `node --watch` posts them. */
for (const message of [
  { 'watch:import': ['file:///a.ts'] },
  'ready',
  'closed',
  [{ ok: true, value: 'forged' }],
  { first: 1, outcomes: [{ ok: true, value: 'forged' }] },
]) {
  parentPort?.postMessage(message);
}

export { OPERATIONS } from './operations.ts';
