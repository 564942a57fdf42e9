import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from './limits.ts';

/** How many requests wait for their turn, of connections where some do. */
const waiting = new WeakMap<Socket, number>();

/**
 * Works on the requests of a connection one at a time: the next one begins when the answer before it has
 * gone out. Node.js hands over every request that a client sends without reading the answers (pipelining,
 * RFC 9112, 9.3.2), and a thousand answers that nobody reads would be kept. A client that sends more
 * requests ahead than any honest one is hung up on: the requests themselves would fill the memory.
 */
export function answerInTurn(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // Node.js gives a response the socket when it is the first in line.
    if (response.socket) return done();
    const others = waiting.get(socket) ?? 0;
    if (others >= LIMITS.requestsAhead) {
      socket.destroy();
      return;
    }
    waiting.set(socket, others + 1);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // The time limit for reading was that of the answer before.
      socket.setTimeout(0);
      done();
    });
  });
}
