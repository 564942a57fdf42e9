import { type IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from './limits.ts';
import { boundUnsent } from './unsent.ts';

/** Characters or bytes from which an answer goes at once: keeping it costs more memory than a wake-up is worth. */
const LARGE = 8_192;

/**
 * Node.js sets aside three bytes for each character of a text that a socket does not take at once. From this many
 * characters on an answer is made bytes first, which costs as much time and a third of the memory.
 */
const VERY_LARGE = 262_144;

let waiting: (() => void)[] = [];

/**
 * Answers that are ready in one turn of the event loop leave together at its end, without delay where
 * there is only one. To send is a system call that wakes a sleeping client, and a client that is woken
 * once for many answers, or awake already, costs the server far less than one woken for each.
 */
export class BatchedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(...args: unknown[]): this {
    if (!this.req.complete && mayBeLong(this.req)) this.shouldKeepAlive = false;
    return Reflect.apply(super.writeHead, this, args);
  }

  override end(...args: unknown[]): this {
    const [body, ...others] = args;
    const isText = typeof body === 'string';
    const size = isText || body instanceof Uint8Array ? body.length : 0;
    const send = () => {
      const isLongText = isText && size >= VERY_LARGE;
      Reflect.apply(super.end, this, isLongText ? [Buffer.from(body), ...others] : args);
      boundUnsent(this);
    };
    if (size >= LARGE) {
      send();
      return this;
    }
    if (waiting.length === 0) setImmediate(sendWaiting);
    waiting.push(send);
    return this;
  }
}

/**
 * Node.js reads what is left of a body after the answer, to go on with the connection. A body in pieces of one byte
 * costs a second for each 5 MB then, and anybody may send one, to a path that takes none.
 */
function mayBeLong({ headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length']) > LIMITS.discardedBody;
}

function sendWaiting(): void {
  const ready = waiting;
  waiting = [];
  for (const send of ready) send();
}
