import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { Failure, type FailureData } from '../domain/failure.ts';
import { errorBody } from './errors.ts';
import { LIMITS } from './limits.ts';
import { requestIds } from './request-id.ts';

const nextRequestId = requestIds();

/** Answers what never became a request (bad HTTP, too slow, too long) in the same envelope, and hangs up. */
export function answerBrokenRequests(headers: Readonly<Record<string, string>>) {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (error: ConnectionError, socket: Socket): void => {
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
    hangUpLater(socket);
  };
}

/** The client has a while to read the answer; one that never closes its side would be kept for ever. */
function hangUpLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LIMITS.unreadTimeout).unref();
  socket.once('close', () => clearTimeout(timer));
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
