import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { LIMITS } from './limits.ts';
import { holdBytes } from './under-way.ts';

/** About the bytes that Node.js keeps for each piece of a body, in addition to its content. */
const PIECE = 256;

/**
 * Reads a body within its limits: the bytes of its route, the number of pieces, and the share of its source in the
 * bytes of all requests. Fails with `body_too_large` or `too_many_requests`, or with the error of the connection.
 */
export function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const most = request.routeOptions.bodyLimit;
    const mostPieces = Math.max(LIMITS.bodyPieces, Math.ceil(most / LIMITS.packet));
    if (Number(request.headers['content-length']) > most) throw tooLarge(most);
    const { bodyCopies = 1 } = request.routeOptions.config;
    const pieces: Buffer[] = [];
    let length = 0;

    payload.on('data', onData).on('end', onEnd).on('error', onError);

    function onData(piece: Buffer) {
      length += piece.length;
      try {
        if (length > most) throw tooLarge(most);
        if (pieces.push(piece) > mostPieces) throw tooManyPieces(mostPieces);
        holdBytes(request, bodyCopies * piece.length + PIECE);
      } catch (error) {
        onError(error);
      }
    }
    function onEnd() {
      leave();
      resolve(Buffer.concat(pieces, length));
    }
    function onError(error: unknown) {
      leave();
      reject(error);
    }
    function leave() {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    }
  });
}

function tooLarge(most: number): Failure {
  const message = `The body is larger than the ${most} bytes that this path takes. The escapes of its JSON count.`;
  return new Failure({ error: 'body_too_large', message });
}

function tooManyPieces(most: number): Failure {
  const message = `The body arrives in more than ${most} pieces; send larger ones.`;
  return new Failure({ error: 'body_too_large', message });
}
