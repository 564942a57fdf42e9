import { type IncomingMessage, ServerResponse } from 'node:http';
import { sourceOf } from '../domain/source.ts';
import { LIMITS } from './limits.ts';
import { lingerAfterAnswer } from './linger.ts';

/**
 * Answers of this many characters or bytes are sent at once: holding them costs more memory than one wake-up is worth.
 */
const LARGE = 8_192;

/**
 * Node.js reserves three bytes for each character of a text that a socket does not take at once. An answer of this many
 * characters is converted to bytes first, which takes as much time and a third of the memory.
 */
const VERY_LARGE = 262_144;

let ready: (() => void)[] = [];

/**
 * Sends answers that are ready in one turn of the event loop together, at its end. A single answer is not delayed.
 * Sending is a system call that wakes a sleeping client. One wake-up for many answers costs the server far less than
 * one for each.
 */
export class BatchedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  override writeHead(...args: unknown[]): this {
    if (!this.req.complete && mayBeLong(this.req)) {
      this.shouldKeepAlive = false;
      lingerAfterAnswer(this.req.socket);
    }
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
    if (ready.length === 0) setImmediate(sendReady);
    ready.push(send);
    return this;
  }
}

/**
 * Node.js reads the rest of a body after the answer, to keep the connection. A body in pieces of one byte then costs a
 * second for each 5 MB, and anyone may send one, even to a path that takes none.
 */
function mayBeLong({ headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length']) > LIMITS.discardedBody;
}

function sendReady(): void {
  const sends = ready;
  ready = [];
  for (const send of sends) send();
}

interface Unsent {
  readonly source: string;
  readonly bytes: number;
}

/** Each answer that its client has not taken yet, the one that has waited longest first, and their bytes by source. */
const unsent = new Map<ServerResponse, Unsent>();
const unsentOf = new Map<string, number>();
let unsentInAll = 0;

/**
 * Bounds the memory that slow readers hold. Called when an answer is complete. A client that takes nothing for
 * `LIMITS.unreadTimeout` is disconnected; a slow one that continues to read is served to the end. When all waiting
 * answers exceed `LIMITS.unsent`, the client that has waited longest is disconnected, of the source that has most.
 */
function boundUnsent(response: ServerResponse): void {
  const { socket } = response;
  if (!socket || socket.writableLength === 0) return;
  // After this time Node.js checks whether the client took some of the answer, and if so waits once more. Half of the
  // time would hit slow clients: the kernel takes nothing more until much of its buffer is read.
  socket.setTimeout(LIMITS.unreadTimeout);
  const waiting = { source: sourceOf(socket.remoteAddress ?? ''), bytes: socket.writableLength };
  unsent.set(response, waiting);
  count(waiting.source, waiting.bytes);
  response.once('close', () => forget(response));
  while (unsentInAll > LIMITS.unsent) disconnectLongest();
}

function disconnectLongest(): void {
  const most = Math.max(...unsentOf.values());
  for (const [response, { source }] of unsent) {
    if (unsentOf.get(source) !== most) continue;
    forget(response);
    response.destroy();
    return;
  }
}

function forget(response: ServerResponse): void {
  const waiting = unsent.get(response);
  if (waiting && unsent.delete(response)) count(waiting.source, -waiting.bytes);
}

function count(source: string, bytes: number): void {
  const left = (unsentOf.get(source) ?? 0) + bytes;
  if (left > 0) unsentOf.set(source, left);
  else unsentOf.delete(source);
  unsentInAll += bytes;
}
