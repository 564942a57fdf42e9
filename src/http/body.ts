import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { LIMITS } from './limits.ts';
import { holdBytes } from './under-way.ts';

/** About what Node.js keeps for each piece of a body, beside its bytes. */
const PIECE = 256;

/**
 * Reads a body within its bounds: the bytes of its route, the pieces that it may come in, and the share of its
 * source in all bodies. Fails with `body_too_large` or `too_many_requests`, or as the connection does.
 */
export function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const most = request.routeOptions.bodyLimit;
    if (Number(request.headers['content-length']) > most) throw tooLarge();
    const pieces: Buffer[] = [];
    let length = 0;

    const onData = (piece: Buffer) => {
      length += piece.length;
      if (length > most) return fail(tooLarge());
      if (pieces.push(piece) > LIMITS.bodyPieces) return fail(tooManyPieces());
      try {
        holdBytes(request, piece.length + PIECE);
      } catch (error) {
        fail(error as Error);
      }
    };
    const onEnd = () => {
      leave();
      resolve(Buffer.concat(pieces, length));
    };
    const fail = (error: Error) => {
      leave();
      reject(error);
    };
    const leave = () => payload.off('data', onData).off('end', onEnd).off('error', fail);
    payload.on('data', onData).on('end', onEnd).on('error', fail);
  });
}

function tooLarge(): Failure {
  return new Failure({ error: 'body_too_large', message: 'The body is larger than this path takes.' });
}

function tooManyPieces(): Failure {
  const message = `The body comes in more than ${LIMITS.bodyPieces} pieces; send larger ones.`;
  return new Failure({ error: 'body_too_large', message });
}
