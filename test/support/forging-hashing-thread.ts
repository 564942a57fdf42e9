import { workerData } from 'node:worker_threads';
import { READY, type Request, type ThreadStart } from '../../src/domain/thread-messages.ts';
import type { HashingJob } from '../../src/passwords/hashing/job.ts';

/** A hashing thread that answers a verification by the forgery that its password names, and the others with yes. */

const yes = { ok: true, value: true };
const no = { ok: true, value: false };

const FORGERIES: Readonly<Record<string, (first: number) => readonly unknown[]>> = {
  'is this your first job?': (first) => [{ first, outcomes: [first === 1 ? yes : no] }],
  'a number that was not given yet': (first) => [{ first: first + 1, outcomes: [yes] }],
  'a number that was answered before': (first) => [{ first: first - 1, outcomes: [yes] }],
  'no number': () => [{ outcomes: [yes] }],
  'outcomes alone': () => [[yes]],
  'no outcomes': (first) => [{ first }],
  'more outcomes than jobs': (first) => [{ first, outcomes: [yes, yes] }],
  'a text': (first) => [{ first, outcomes: [{ ok: true, value: 'true' }] }],
  'a one': (first) => [{ first, outcomes: [{ ok: true, value: 1 }] }],
  'an outcome that is nearly yes': (first) => [{ first, outcomes: [{ ok: 1, value: true }] }],
  'what a watcher posts': () => [{ 'watch:import': ['file:///a.ts'] }],
  nothing: () => [null],
  'no, and then yes': (first) => [
    { first, outcomes: [no] },
    { first, outcomes: [yes] },
  ],
  'the end of the thread': () => process.exit(1),
};

// Keeps the thread alive.
setInterval(() => {}, 1_000);

const { port } = workerData as ThreadStart;
let first = 1;

port.postMessage(READY);
port.on('message', (request: Request<HashingJob>) => {
  if (request === 'close') return;
  const { calls } = request;
  const allYes = { first, outcomes: calls.map(() => yes) };
  for (const message of FORGERIES[calls[0]?.password ?? '']?.(first) ?? [allYes]) port.postMessage(message);
  first += calls.length;
});
