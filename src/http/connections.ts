import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Admission } from '../domain/admission/admission.ts';
import { sourceOf } from '../domain/source.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { LIMITS } from './limits.ts';

export interface Connection {
  readonly source: string;
  /** How many of its requests wait for an earlier answer. */
  ahead: number;
  /** The answer that was begun last, until a sweep finds that it was sent. A listener would cost each request. */
  answer: ServerResponse | undefined;
  /** By `performance.now()`: if the wall clock were set, every connection would seem idle. */
  idleSince: number;
  /** When its last request began, by the same clock, and how many bytes had come by then. */
  begunAt: number;
  bytesBefore: number;
}

/** The log has at most one line about refused connections in this time. */
const REFUSED_TOLD_EVERY_MS = MINUTE_MS;
const REFUSED =
  'connections were refused: their source had its share, or all were taken; name a proxy in front in TRUST_PROXY';

/**
 * Bounds the connections, in all and by source, closes idle ones and ends late requests. One connection too many is closed before anything
 * is read from it. Addresses in `proxies` have no share, because they serve many people. Returns the open connections.
 */
export function admitConnections(
  app: FastifyInstance,
  admission: Admission,
  proxies: string[],
): ReadonlyMap<Socket, Connection> {
  const { server } = app;
  const open = new Map<Socket, Connection>();
  const isProxy = proxyAddr.compile(proxies);
  let refused = 0;
  let cause: string | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  // Node.js closes a connection beyond this limit before it makes an object for it.
  server.maxConnections = admission.mostConnections;
  server.on('drop', () => refused++);
  // Without a listener, a connection that the system could not give us would end the service.
  const failed = (error: Error) => {
    refused++;
    cause = error.message;
  };
  server.once('listening', () => server.on('error', failed));

  server.prependListener('connection', (socket: Socket) => {
    admission.turns.noteConnection();
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      // The client has left already.
      socket.destroy();
      return;
    }
    const source = sourceOf(remoteAddress);
    const hasShare = !isProxy(remoteAddress, 0);
    if (hasShare && !admission.connections.take(source)) {
      refused++;
      socket.destroy();
      return;
    }
    const now = performance.now();
    const begun = { begunAt: now, bytesBefore: 0 };
    const connection: Connection = { source, ahead: 0, answer: undefined, idleSince: now, ...begun };
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      if (hasShare) admission.connections.give(source);
      // Node.js closes no response whose turn has not come.
      admission.requestsAhead.give(source, connection.ahead);
      connection.ahead = 0;
    });
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket);
    if (!connection) return;
    connection.answer = response;
    connection.begunAt = performance.now();
    connection.bytesBefore = socket.bytesRead;
  });

  const sweep = () => {
    const now = performance.now();
    for (const [socket, connection] of open)
      if (isIdle(connection, now)) socket.destroy();
      // As Node.js ends a request that takes too long.
      else if (isLate(connection, socket, now)) server.emit('clientError', tooLate(), socket);
    if (refused === 0 || now - toldAt < REFUSED_TOLD_EVERY_MS) return;
    app.log.warn({ refused, open: open.size, cause }, REFUSED);
    toldAt = now;
    [refused, cause] = [0, undefined];
  };
  const sweeping = setInterval(sweep, LIMITS.timeoutCheck).unref();
  app.addHook('onClose', async () => clearInterval(sweeping));
  return open;
}

/**
 * True when the connection has begun no request for `LIMITS.idleTimeout`. Node.js counts an empty line as activity, and
 * would wait for ever for a client that sends one now and then.
 */
function isIdle(connection: Connection, now: number): boolean {
  if (connection.answer?.closed) {
    connection.answer = undefined;
    connection.idleSince = now;
  }
  return !connection.answer && now - connection.idleSince > LIMITS.idleTimeout;
}

/** True when the body of a request arrives so slowly that it only holds what the request holds. */
function isLate({ answer, begunAt, bytesBefore }: Connection, { bytesRead }: Socket, now: number): boolean {
  if (!answer || answer.req.complete) return false;
  const allowed = LIMITS.requestTimeout + ((bytesRead - bytesBefore) / LIMITS.slowestBody) * 1000;
  return now - begunAt > allowed;
}

const tooLate = () => Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
