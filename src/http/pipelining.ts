import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sourceOf } from '../domain/source.ts';
import { LIMITS } from './limits.ts';
import { Shares } from './shares.ts';

/** The requests of a connection that wait for their turn. */
interface Waiting {
  readonly source: string;
  count: number;
}

/**
 * Works on the requests of a connection one at a time: the next one begins when the answer before it has
 * gone out. Node.js hands over every request that a client sends without reading the answers (pipelining,
 * RFC 9112, 9.3.2), and a thousand answers that nobody reads would be kept. A client that sends more
 * requests ahead than any honest one is hung up on: the requests themselves would fill the memory.
 */
export function answerInTurn(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, Waiting>();
  const shares = new Shares(LIMITS.requestsAheadInAll);

  const waitingOn = (socket: Socket): Waiting => {
    const known = waiting.get(socket);
    if (known) return known;
    const begun = { source: sourceOf(socket.remoteAddress ?? ''), count: 0 };
    waiting.set(socket, begun);
    // Node.js closes no response that had not got its turn.
    socket.once('close', () => {
      shares.give(begun.source, begun.count);
      begun.count = 0;
    });
    return begun;
  };

  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // Node.js gives a response the socket when it is the first in line.
    if (response.socket) return done();
    const others = waitingOn(socket);
    if (socket.destroyed || others.count >= LIMITS.requestsAhead || !shares.take(others.source)) {
      socket.destroy();
      ignoreTheRest(socket);
      return;
    }
    others.count++;
    response.once('socket', () => {
      others.count--;
      shares.give(others.source);
      // The time limit for reading was that of the answer before.
      socket.setTimeout(0);
      done();
    });
  });
}

/**
 * What was read already is parsed to its end, although the socket is destroyed: a thousand requests in 64 KB, each with
 * an error of its own when it is aborted, or ten thousand chunks, which take 10 to 30 ms for each connection. The parser
 * of Node.js hands them to nobody then. Its members are not public: where they are others one day, this does nothing.
 */
export function ignoreTheRest(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser !== 'object' || parser === null) return;
  if ('onIncoming' in parser) parser.onIncoming = () => 0;
  const bodyKey: unknown = Reflect.get(parser.constructor, 'kOnBody');
  if (typeof bodyKey !== 'number') return;
  // Without this function the parser does not even copy a chunk. Another connection gets the parser after the close.
  const onBody: unknown = Reflect.get(parser, bodyKey);
  if (typeof onBody !== 'function') return;
  Reflect.set(parser, bodyKey, undefined);
  socket.once('close', () => Reflect.set(parser, bodyKey, onBody));
}
