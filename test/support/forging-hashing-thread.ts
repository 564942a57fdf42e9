import { workerData } from 'node:worker_threads';
import type { HashingRequest, HashingStart } from '../../src/auth/hashing/messages.ts';

/** A hashing thread that answers a verification by the forgery that its password names, and the others with yes. */

const FORGERIES: Readonly<Record<string, (number: number) => readonly unknown[]>> = {
  'is this your first job?': (number) => [{ number, results: [number === 1] }],
  'a number that was not given yet': (number) => [{ number: number + 1, results: [true] }],
  'a number that was answered before': (number) => [{ number: number - 1, results: [true] }],
  'no number': () => [{ results: [true] }],
  'results alone': () => [[true]],
  'no results': (number) => [{ number, results: [] }],
  'more results than jobs': (number) => [{ number, results: [true, true] }],
  'a text': (number) => [{ number, results: ['true'] }],
  'a one': (number) => [{ number, results: [1] }],
  'what a watcher posts': () => [{ 'watch:import': ['file:///a.ts'] }],
  nothing: () => [null],
  'no, and then yes': (number) => [
    { number, results: [false] },
    { number, results: [true] },
  ],
  'the end of the thread': () => process.exit(1),
};

// Keeps the thread alive.
setInterval(() => {}, 1_000);

const { port } = workerData as HashingStart;

port.on('message', ({ number, jobs }: HashingRequest) => {
  const yes = { number, results: jobs.map(() => true) };
  for (const message of FORGERIES[jobs[0]?.password ?? '']?.(number) ?? [yes]) port.postMessage(message);
});
