import type { Server, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endTrace } from './request-traces.ts';
import { takesItsTime } from './slow-requests.ts';
import { endAdmission } from './under-way.ts';

/** Says that nobody on the way may keep the text until there is more of it. */
const AT_ONCE = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

const open = new WeakMap<Server, Set<Stream>>();

/** An answer that goes on until one side ends it. */
export class Stream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Bytes that were sent here and that the system has not taken yet. */
  get unsent(): number {
    return this.#response.writableLength;
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** False where the client should take some of it before there is more (`drained`). Bytes are shared, not copied. */
  send(text: string | Uint8Array): boolean {
    return !this.isOpen || this.#response.write(text);
  }

  /** Resolves when the client has taken what was sent, or has left. */
  drained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      if (!this.isOpen || !response.writableNeedDrain) return resolve();
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  /** Ends the answer. A client that has not taken all of it is disconnected. */
  end(): void {
    if (this.unsent > 0) this.#response.destroy();
    else if (this.isOpen) this.#response.end();
  }

  onClose(listener: () => void): void {
    onceClosed(this.#response, listener);
  }
}

/** Calls the listener when the answer was sent or its client has left, also where that was before. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed) queueMicrotask(listener);
  else response.once('close', listener);
}

/**
 * Begins an answer of this media type that goes on. It counts no longer among the requests under way, so its route bounds
 * how many there are, and what each leaves unsent. It is in no figure of requests, whose time would be hours.
 */
export function beginStream(request: FastifyRequest, reply: FastifyReply, type: string): Stream {
  reply.hijack();
  const { raw: response } = reply;
  const stream = new Stream(response);
  const { server } = request.server;
  const others = open.get(server) ?? new Set();
  open.set(server, others.add(stream));
  stream.onClose(() => others.delete(stream));
  endAdmission(request);
  takesItsTime(request);
  request.isStream = true;
  endTrace(request, reply, 200);
  // An earlier answer on this connection may have set it.
  request.raw.socket.setTimeout(0);
  // Otherwise a server that closes would wait until the connection, idle after the stream, times out.
  response.shouldKeepAlive = false;
  response.writeHead(200, { ...definedHeaders(reply), ...AT_ONCE, 'content-type': type });
  response.flushHeaders();
  return stream;
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Ends all streams of a server that stops. Their clients come back to it, or to another instance. */
export function endStreams(server: Server): void {
  for (const stream of open.get(server) ?? []) stream.end();
}
