import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { LIMITS } from './limits.ts';
import { holdBytes } from './under-way.ts';

/** About what Node.js keeps for each piece of a body, beside its bytes. */
const PIECE = 256;

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Reads a body within its bounds: the bytes of its route, the pieces that it may come in, and the share of its
 * source in all bodies. Fails with `body_too_large` or `too_many_requests`, or as the connection does.
 */
export function readBody(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const most = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length']) > most) {
    done(tooLarge());
    return;
  }
  const pieces: Buffer[] = [];
  let length = 0;

  const onData = (piece: Buffer) => {
    length += piece.length;
    if (length > most) return end(tooLarge());
    if (pieces.push(piece) > LIMITS.bodyPieces) return end(tooManyPieces());
    try {
      holdBytes(request, piece.length + PIECE);
    } catch (error) {
      end(error as Failure);
    }
  };
  const onEnd = () => end(null);
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', end);
    if (error) done(error);
    else done(null, Buffer.concat(pieces, length));
  };
  payload.on('data', onData).on('end', onEnd).on('error', end);
}

function tooLarge(): Failure {
  return new Failure({ error: 'body_too_large', message: 'The body is larger than this path takes.' });
}

function tooManyPieces(): Failure {
  const message = `The body comes in more than ${LIMITS.bodyPieces} pieces; send larger ones.`;
  return new Failure({ error: 'body_too_large', message });
}
