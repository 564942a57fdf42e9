import { workerData } from 'node:worker_threads';
import {
  type Answer,
  type Calls,
  READY,
  type Request,
  type ThreadStart,
} from '../../src/store/sqlite/messages.ts';

/** A thread of the store that ends by an error as soon as it has answered, or when it is to close. */

const { port } = workerData as ThreadStart;

port.postMessage(READY);
port.on('message', (request: Request) => {
  if (request !== 'close') port.postMessage(answerTo(request));
  throw new Error('The thread dies.');
});

function answerTo({ first, calls }: Calls): Answer {
  return { first, outcomes: calls.map(({ input }) => ({ ok: true, value: input })) };
}
