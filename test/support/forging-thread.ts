import { workerData } from 'node:worker_threads';
import { READY, type Request, type ThreadStart } from '../../src/domain/thread-messages.ts';

/** A thread that answers its first call, and after that sends the JSON text of a call as if that were an answer. */

const { port } = workerData as ThreadStart;

port.postMessage(READY);
port.on('message', (request: Request<string>) => {
  if (request === 'close') return;
  const [call = ''] = request.calls;
  port.postMessage(call === 'first' ? { first: 1, outcomes: [{ ok: true, value: call }] } : JSON.parse(call));
});
