import { workerData } from 'node:worker_threads';
import { type Answer, READY, type Request, type ThreadStart } from '../../src/domain/thread-messages.ts';

/** A thread that ends by an error as soon as it has answered "done" to its first calls, or when it is to end. */

const { port } = workerData as ThreadStart;

port.postMessage(READY);
port.on('message', (request: Request<string>) => {
  if (request !== 'close') port.postMessage(answerTo(request.calls));
  throw new Error('The thread dies.');
});

function answerTo(calls: readonly string[]): Answer {
  return { first: 1, outcomes: calls.map((value) => ({ ok: true, value })) };
}
