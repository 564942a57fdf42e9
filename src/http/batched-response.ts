import { type IncomingMessage, ServerResponse } from 'node:http';

let waiting: (() => void)[] = [];

/**
 * Answers that are ready in one turn of the event loop leave together at its end, without delay where
 * there is only one. To send is a system call that wakes a sleeping client, and a client that is woken
 * once for many answers, or awake already, costs the server far less than one woken for each.
 */
export class BatchedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override end(...args: unknown[]): this {
    if (waiting.length === 0) setImmediate(sendWaiting);
    waiting.push(() => Reflect.apply(super.end, this, args));
    return this;
  }
}

function sendWaiting(): void {
  const ready = waiting;
  waiting = [];
  for (const send of ready) send();
}
