import { mock } from 'node:test';
import { MessagePort } from 'node:worker_threads';

interface Job {
  readonly kind: string;
  readonly hash?: string;
  readonly beside?: string;
  readonly password: string;
  readonly asSent?: string;
}

/** The jobs that this process sends to its hashing threads from now on, by message. */
export function watchHashing(): Job[][] {
  const sent: Job[][] = [];
  const { postMessage } = MessagePort.prototype;
  mock.method(MessagePort.prototype, 'postMessage', function (this: MessagePort, ...values: unknown[]) {
    const [message] = values;
    const calls = typeof message === 'object' && message !== null && 'calls' in message ? message.calls : [];
    if (Array.isArray(calls) && calls[0]?.password !== undefined) sent.push(calls);
    return Reflect.apply(postMessage, this, values);
  });
  return sent;
}
