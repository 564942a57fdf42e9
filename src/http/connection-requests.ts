import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission } from '../domain/admission/admission.ts';
import { ADMISSION } from '../domain/admission/figures.ts';
import type { Connection } from './connections.ts';
import { LIMITS } from './limits.ts';

/** Begins a request when it is its turn. Drops one that is too many, with its connection. */
type TurnOf = (request: IncomingMessage, response: ServerResponse, begin: () => void) => void;

/**
 * Handles the requests of a connection one at a time: the next begins when the answer before it has been sent. Node.js
 * delivers every request that a client sends without reading answers (pipelining, RFC 9112, 9.3.2), and would keep a
 * thousand unread answers. A client that sends more requests ahead than any honest one is disconnected, because the
 * requests themselves would fill the memory.
 */
export function inTurn(admission: Admission, open: ReadonlyMap<Socket, Connection>): TurnOf {
  const isOneMore = (connection: Connection) =>
    connection.ahead < ADMISSION.requestsAhead && admission.requestsAhead.take(connection.source);
  return (request, response, begin) => {
    const { socket } = request;
    if (request.headers['transfer-encoding'] !== undefined) boundChunks(request);
    // Node.js gives a response the socket when its turn has come.
    if (response.socket) return begin();
    const connection = open.get(socket);
    if (!connection || socket.destroyed || !isOneMore(connection)) return hangUp(socket);
    connection.ahead++;
    response.once('socket', () => {
      connection.ahead--;
      admission.requestsAhead.give(connection.source);
      // The time-out was that of the previous answer.
      socket.setTimeout(0);
      begin();
    });
  };
}

/**
 * Bounds the cost of chunked bodies (RFC 9112, 7.1). The sender chooses the size of the chunks, and each one costs a
 * function call, even if nobody reads the body. A client that sends more small chunks than any honest one is
 * disconnected. One with larger chunks gets its answer.
 */
function boundChunks(request: IncomingMessage): void {
  // No event reports the chunks of a body that nobody reads.
  const push = request.push.bind(request);
  let small = 0;
  request.push = (chunk, encoding) => {
    // Null is the end of the body.
    if (chunk !== null && chunk.length < LIMITS.smallChunk && ++small > LIMITS.unreadChunks)
      hangUp(request.socket);
    return push(chunk, encoding);
  };
}

/**
 * Ends the connection, and drops what was already read from it. Otherwise Node.js would parse that to its end although
 * the socket is destroyed: a thousand aborted requests in 64 KB, or ten thousand chunks, take 10 to 30 ms for each
 * connection. The members of the parser are not public. If they change, this only destroys the socket.
 */
function hangUp(socket: Socket): void {
  socket.destroy();
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser !== 'object' || parser === null) return;
  if ('onIncoming' in parser) parser.onIncoming = () => 0;
  const bodyKey: unknown = Reflect.get(parser.constructor, 'kOnBody');
  if (typeof bodyKey !== 'number') return;
  // Without this function the parser does not even copy a chunk. After the close the parser serves another connection.
  const onBody: unknown = Reflect.get(parser, bodyKey);
  if (typeof onBody !== 'function') return;
  Reflect.set(parser, bodyKey, undefined);
  socket.once('close', () => Reflect.set(parser, bodyKey, onBody));
}
