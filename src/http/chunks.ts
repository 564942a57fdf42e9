import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from './limits.ts';
import { ignoreTheRest } from './pipelining.ts';

/**
 * Bounds what chunked bodies cost (RFC 9112, 7.1). Their sender chooses how small the chunks are, and each one is a call
 * of ours, also where nobody reads the body. A client that sends more small chunks than any honest one is hung up on; one
 * whose chunks are not small gets its answer.
 */
export function boundChunks(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['transfer-encoding'] !== undefined) countChunks(raw);
    done();
  });
}

/** No event tells of the chunks of a body that nobody reads. */
function countChunks(raw: IncomingMessage): void {
  const push = raw.push.bind(raw);
  let small = 0;
  raw.push = (chunk, encoding) => {
    // Null is the end of the body.
    if (chunk !== null && chunk.length < LIMITS.smallChunk && ++small > LIMITS.unreadChunks) {
      raw.socket.destroy();
      ignoreTheRest(raw.socket);
    }
    return push(chunk, encoding);
  };
}
