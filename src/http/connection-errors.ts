import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { Failure, type FailureData } from '../domain/failure.ts';
import { errorBody } from './errors.ts';
import { LIMITS } from './limits.ts';
import { destroyAfter } from './linger.ts';
import { requestIds } from './request-id.ts';

const nextRequestId = requestIds();

/**
 * Answers what never became a request (bad HTTP, too slow, too long) in the same envelope, and disconnects. Clients take
 * answers in the order of their requests, so this answer waits for those before it: a committed write must not look
 * refused. `lastAnswer` returns the answer that was begun last on a connection, if there is one.
 */
export function answerBrokenRequests(
  headers: Readonly<Record<string, string>>,
  lastAnswer: (socket: Socket) => ServerResponse | undefined,
) {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const broken = new WeakSet<Socket>();

  return (error: ConnectionError, socket: Socket): void => {
    // Node.js reports an error again with each piece that comes after it.
    if (broken.has(socket)) return;
    broken.add(socket);
    const answer = lastAnswer(socket);
    if (!answer || answer.closed || error.code === 'ECONNRESET') refuse(error, socket);
    // Its request is whole, so a later one is broken.
    else if (answer.req.complete) answer.once('close', () => refuse(error, socket));
    // The body of its request is broken. That request may wait for the answers before it, and then has no socket yet.
    else if (answer.socket) refuse(error, socket);
    else answer.once('socket', () => refuse(error, socket));
  };

  function refuse(error: ConnectionError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const failure = new Failure(explain(error.code));
    const requestId = nextRequestId();
    const body = JSON.stringify(errorBody(failure, requestId));
    socket.end(
      [
        `HTTP/1.1 ${failure.code} ${STATUS_CODES[failure.code]}`,
        ...headerLines,
        'content-type: application/json; charset=utf-8',
        'connection: close',
        `x-request-id: ${requestId}`,
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    destroyAfter(socket, LIMITS.unreadTimeout);
  }
}

function explain(code: string): FailureData {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { error: 'headers_too_large', message: 'The headers of the request are larger than 16 KiB.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { error: 'request_timeout', message: 'The request took too long to arrive.' };
    default:
      return { error: 'malformed_request', message: 'The request is not valid HTTP.' };
  }
}
